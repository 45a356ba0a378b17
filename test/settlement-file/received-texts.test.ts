import { describe, expect, test } from 'vitest';
import { columnIndex } from '../../src/settlement-file/columns.js';
import { hasMaskedText, withReceivedTexts } from '../../src/settlement-file/received-texts.js';
import { maskCardNumbers } from '../../src/values/mask-card-numbers.js';
import { cellsInOrder, settlementRow, type Cells } from '../support/settlement-rows.js';

const rowOf = (cells: Cells) => cellsInOrder(settlementRow(cells));

/** The Descriptor of a corrected row, of a row that was received with another one. */
function descriptor(corrected: string, received: string): string | undefined {
  const cells = withReceivedTexts(rowOf({ Descriptor: corrected }), rowOf({ Descriptor: received }));
  return cells[columnIndex('Descriptor')];
}

describe('the texts of a corrected row', () => {
  test.each([
    ['card 4111111111111111'],
    ['4111 1111 1111 1111 and 4200-0000-0000-0000'],
    [`${'x'.repeat(112)}4111111111111111`],
  ])('are as received where only card numbers are masked: %s', (received) => {
    expect(descriptor(maskCardNumbers(received), received)).toBe(received);
  });

  test.each([
    ['the person changed it', 'card 411111******1111, refunded', 'card 4111111111111111'],
    ['the person removed the number', 'card', 'card 4111111111111111'],
    [
      'the text that was received is too long',
      `${'x'.repeat(112)}411111******1111`,
      `${'x'.repeat(112)}4111 1111 1111 1111`,
    ],
    ['the sender masked the number', 'card 411111******1111', 'card 411111******1111'],
  ])('stay as they are if %s', (_, corrected, received) => {
    expect(descriptor(corrected, received)).toBe(corrected);
  });

  test('stay as they are if the row that was received has fewer cells, or is not known', () => {
    const cells = rowOf({ Descriptor: 'card 411111******1111' });
    expect(hasMaskedText(cells)).toBe(true);
    expect(withReceivedTexts(cells, cells.slice(0, 3))).toEqual(cells);
    expect(withReceivedTexts(cells, [])).toEqual(cells);
  });

  test('of references are never replaced', () => {
    const cells = rowOf({ SettlementTxId: '411111******1111' });
    expect(hasMaskedText(cells)).toBe(false);
    expect(withReceivedTexts(cells, rowOf({ SettlementTxId: '4111111111111111' }))).toEqual(cells);
  });
});
