import { headerLine } from '../src/settlement-file/columns.js';

export type Flavour = 'plain' | 'quoted' | 'umlauts' | 'intricate';

/** A settlement file of any size, the same for the same arguments: 0.2 % of the rows are invalid. */
export function* generateLines(rows: number, flavour: Flavour): Generator<string> {
  let text = `${headerLine}\n`;
  for (let row = 0; row < rows; row += 1) {
    text += `${generateLine(row, flavour)}\n`;
    if (text.length > 200_000) {
      yield text;
      text = '';
    }
  }
  yield text;
}

export function generateLine(row: number, flavour: Flavour): string {
  const id = (0x8ac7a4a1_0000 + row).toString(16).padStart(32, '0');
  const cents = 100 + ((row * 7919) % 1_000_000);
  const amount = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
  const holder =
    flavour === 'umlauts' ? 'Jürgen Müßig' : flavour === 'intricate' ? 'Jones; "Jo"' : 'Jane Jones';
  const cells = [
    ...['SETTLED', 'DEBIT', 'POS', 'CI-4711', '8a8294174b7ecb28014b9699220015ca', 'Example Shop'],
    ...['8a8294184e542a5c014e691d33f808c8', '', '8a8294184e542a5c014e691d340708cc', `STL-${row}`, id],
    ...['1121.4477.0001', `C1-${row}`, '', '', row % 500 === 499 ? '1,00' : amount, 'EUR', 'VISA'],
    ...['2026-11-18 10:00:05', amount, 'EUR', '0.25', '1.00', `2026-11-${10 + (row % 10)}`, 'SUCCESS'],
    ...['EXAMPLE SHOP*ORDER', String(row % 10_000).padStart(4, '0'), '', holder, '', '', 'STANDARD'],
    ...['Example Acquirer', '', '', ''],
  ];
  if (flavour === 'plain' || flavour === 'umlauts') return cells.join(';');
  return cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(';');
}
