import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { columns, headerLine, recordColumnCount } from '../../src/settlement-file/columns.js';
import { replaceOutcomeCells } from '../../src/settlement-file/write-row.js';
import { fileOf, readAll, rowLine } from './rows.js';

// Written out: everything else, the fixtures too, derives from the list of columns.
const header =
  'ReconciliationType;PaymentType;Cashflow;ClearingInstituteMerchantId;MerchantAccountId;MerchantAccountName;PspId;' +
  'DivisionId;MerchantId;SettlementTxId;UniqueID;ShortId;ConnectorTxId1;ConnectorTxId2;ConnectorTxId3;Amount;' +
  'Currency;Brand;TxRequestTime;SettlementAmount;SettlementCurrency;SettlementFee;SettlementFxRate;SettlementDate;' +
  'SettlementStatus;Descriptor;AccountNumberLast4;BankCode;AccountHolder;ReasonCode;ReasonDesc;' +
  'SettlementFileFormat;ClearingInsitituteName;MatchingStatus;MatchedTransactions;ChargebackId';

test('the header is the one of the specification and of the sample files', () => {
  expect(headerLine).toBe(header);
  const sample = readFileSync('fixtures/clean-day/inbound/settlement-2026-11-19.csv', 'utf8');
  expect(sample.split('\n')[0]).toBe(header);
});

test('36 columns, 33 of them the record’s', () => {
  expect([columns.length, recordColumnCount]).toEqual([36, 33]);
  expect(new Set(columns.map((column) => column.name)).size).toBe(36);
});

test('required are those of the catalogue', () => {
  const optional = columns.filter((column) => !column.required).map((column) => column.name);
  expect(optional).toEqual([
    ...['MerchantAccountName', 'DivisionId', 'SettlementTxId', 'UniqueID', 'ShortId'],
    ...[
      'ConnectorTxId1',
      'ConnectorTxId2',
      'ConnectorTxId3',
      'Brand',
      'TxRequestTime',
      'SettlementFee',
      'Descriptor',
    ],
    ...['AccountNumberLast4', 'BankCode', 'AccountHolder', 'ReasonCode', 'ReasonDesc'],
    ...['MatchingStatus', 'MatchedTransactions', 'ChargebackId'],
  ]);
});

test('a row of another width has no outcome', async () => {
  const { rows } = await readAll(fileOf(rowLine().split(';').slice(0, 20).join(';')));
  const [row] = rows;
  if (row === undefined) throw new Error('no row');
  const outcome = { txRequestTimeIfEmpty: '', matchingStatus: '', matchedTransactions: '', chargebackId: '' };
  expect(() => replaceOutcomeCells(row, outcome)).toThrow('36 cells');
});
