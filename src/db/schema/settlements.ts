import {
  bigint,
  boolean,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { identifier, moment } from './column-types.js';

/**
 * Every settlement file that was ever received completely. A file is identified by its SHA-256 (design 4.3). The row is
 * written when the bytes are safe in the archive (`received`) and takes its final status in the same transaction as its
 * rows, so a crash in between leaves work that the next run finds.
 */
export const settlementFiles = pgTable(
  'settlement_files',
  {
    id: integer('id').primaryKey(),
    sha256: identifier('sha256').notNull(),
    source: identifier('source').notNull(),
    name: identifier('name').notNull(),
    sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull(),
    /** received | loaded | rejected | retired */
    status: identifier('status').notNull(),
    receivedAt: moment('received_at').notNull(),
    receivedRunId: integer('received_run_id').notNull(),
    /** The run that loaded or rejected it. */
    finishedRunId: integer('finished_run_id'),
    /** Name of its reconciled file; the second file with the same name has the first 8 digits of its SHA-256. */
    reportName: identifier('report_name'),
    rowsTotal: integer('rows_total').notNull().default(0),
    rowsAccepted: integer('rows_accepted').notNull().default(0),
    rowsRejected: integer('rows_rejected').notNull().default(0),
    rowsAlreadyKnown: integer('rows_already_known').notNull().default(0),
    /** Smallest and largest SettlementDate; in a rejected file, as far as it could be read. */
    firstSettlementDate: date('first_settlement_date', { mode: 'string' }),
    lastSettlementDate: date('last_settlement_date', { mode: 'string' }),
    errorCode: identifier('error_code'),
    errorMessage: text('error_message'),
    /** The sidecar in which the sender announced the totals of the file; its bytes are in the archive. */
    totalsName: identifier('totals_name'),
    totalsSha256: identifier('totals_sha256'),
    /** When retention decided to remove its bytes from the archive. */
    archiveRemovedAt: moment('archive_removed_at'),
  },
  (table) => [
    uniqueIndex('settlement_files_sha256').on(table.sha256),
    uniqueIndex('settlement_files_report_name').on(table.reportName),
    index('settlement_files_finished_run').on(table.finishedRunId),
    index('settlement_files_dates').on(table.firstSettlementDate, table.lastSettlementDate),
  ],
);

/**
 * What was inside each packed file (gzip, zip). The archive keeps both: the packed file as it was received, and the
 * unpacked files, which `settlement_files` lists. The same bytes always contain the same files.
 */
export const packedFiles = pgTable(
  'packed_files',
  {
    packedSha256: identifier('packed_sha256').notNull(),
    position: integer('position').notNull(),
    packedName: identifier('packed_name').notNull(),
    name: identifier('name').notNull(),
    sha256: identifier('sha256').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.packedSha256, table.position] }),
    index('packed_files_sha256').on(table.sha256),
  ],
);

/**
 * Which partitions `settlement_records` has (`src/db/parts/record-parts.ts`). A part contains the files with ids from
 * `first_file_id` up to, but not including, `end_file_id`: the small files of a month, or one large file.
 */
export const recordParts = pgTable('record_parts', {
  firstFileId: integer('first_file_id').primaryKey(),
  endFileId: integer('end_file_id').notNull(),
  /** Contains only one large file. */
  ownFile: boolean('own_file').notNull(),
  /** The first day of the month (UTC) in which its files were received. */
  month: date('month', { mode: 'string' }).notNull(),
});

/**
 * What stays of a settlement when its month is removed: as much as the sums of its payment need. Only records that are
 * matched to a payment and count towards its amount are here.
 */
export const removedSettlements = pgTable(
  'removed_settlements',
  {
    fileId: integer('file_id').notNull(),
    line: integer('line').notNull(),
    fingerprint: uuid('fingerprint').notNull(),
    occurrence: integer('occurrence').notNull(),
    settlementDate: date('settlement_date', { mode: 'string' }).notNull(),
    settlementTxId: identifier('settlement_tx_id'),
    paymentType: identifier('payment_type').notNull(),
    amountMinor: bigint('amount_minor', { mode: 'bigint' }).notNull(),
    currency: identifier('currency').notNull(),
  },
  (table) => [primaryKey({ columns: [table.fileId, table.line] })],
);

/**
 * The accepted rows, typed: immutable facts. A record is addressed by its file and its first physical line; it is
 * identified by fingerprint and occurrence (design 4.3). Amounts are integer hundredths. Columns 34-36 contain the
 * sender's claim and are never trusted.
 *
 * Partitioned by file id. Every part has a unique index on date, fingerprint and occurrence, which starts with the
 * date, so that the inserts of a run and the reads of a re-run stay in one region of it; across parts, the load checks
 * identity.
 */
export const settlementRecords = pgTable(
  'settlement_records',
  {
    fileId: integer('file_id').notNull(),
    line: integer('line').notNull(),
    /** The first 128 bits of the SHA-256 of cells 1-33. */
    fingerprint: uuid('fingerprint').notNull(),
    /** 1 for the first of identical rows within its file, 2 for the second … */
    occurrence: integer('occurrence').notNull(),
    reconciliationType: identifier('reconciliation_type').notNull(),
    paymentType: identifier('payment_type').notNull(),
    cashflow: identifier('cashflow').notNull(),
    clearingInstituteMerchantId: identifier('clearing_institute_merchant_id').notNull(),
    merchantAccountId: identifier('merchant_account_id').notNull(),
    merchantAccountName: identifier('merchant_account_name'),
    pspId: identifier('psp_id').notNull(),
    divisionId: identifier('division_id'),
    merchantId: identifier('merchant_id').notNull(),
    settlementTxId: identifier('settlement_tx_id'),
    uniqueId: identifier('unique_id'),
    shortId: identifier('short_id'),
    connectorTxId1: identifier('connector_tx_id1'),
    connectorTxId2: identifier('connector_tx_id2'),
    connectorTxId3: identifier('connector_tx_id3'),
    amountMinor: bigint('amount_minor', { mode: 'bigint' }).notNull(),
    currency: identifier('currency').notNull(),
    brand: identifier('brand'),
    /** A time without an offset is read in the source's time zone. */
    txRequestTime: moment('tx_request_time'),
    settlementAmountMinor: bigint('settlement_amount_minor', { mode: 'bigint' }).notNull(),
    settlementCurrency: identifier('settlement_currency').notNull(),
    settlementFeeMinor: bigint('settlement_fee_minor', { mode: 'bigint' }),
    settlementFxRateHundredths: bigint('settlement_fx_rate_hundredths', { mode: 'bigint' }).notNull(),
    settlementDate: date('settlement_date', { mode: 'string' }).notNull(),
    settlementStatus: identifier('settlement_status').notNull(),
    descriptor: identifier('descriptor'),
    accountNumberLast4: identifier('account_number_last4'),
    bankCode: identifier('bank_code'),
    accountHolder: identifier('account_holder'),
    reasonCode: identifier('reason_code'),
    reasonDesc: identifier('reason_desc'),
    settlementFileFormat: identifier('settlement_file_format').notNull(),
    clearingInstituteName: identifier('clearing_institute_name').notNull(),
    claimedMatchingStatus: identifier('claimed_matching_status'),
    claimedMatchedTransactions: identifier('claimed_matched_transactions'),
    claimedChargebackId: identifier('claimed_chargeback_id'),
  },
  (table) => [primaryKey({ columns: [table.fileId, table.line] })],
);

/** Rows of a loaded file whose record was already stored, with the location of that record. */
export const alreadyKnownRows = pgTable(
  'already_known_rows',
  {
    fileId: integer('file_id').notNull(),
    line: integer('line').notNull(),
    recordFileId: integer('record_file_id').notNull(),
    recordLine: integer('record_line').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.fileId, table.line] }),
    // Senders that bring the whole month every day fill this table: which files brought a record is looked up.
    index('already_known_rows_record').on(table.recordFileId, table.recordLine),
  ],
);

/**
 * Where rows of an archived file begin, every few kilobytes, so that a re-run of a day reads only the rows of that day
 * from a file of a month. Written with the records. Small files have none, nor have those that were loaded by an older
 * version: they are read whole.
 */
export const rowPlaces = pgTable(
  'row_places',
  {
    fileId: integer('file_id').notNull(),
    /** The first of `lines`. */
    firstLine: integer('first_line').notNull(),
    /** Physical lines, ascending. */
    lines: integer('lines').array().notNull(),
    /** The byte of the file at which the row of each line begins. */
    offsets: bigint('offsets', { mode: 'number' }).array().notNull(),
  },
  (table) => [primaryKey({ columns: [table.fileId, table.firstLine] })],
);

/** Quarantine: rows that failed validation, with every issue `{column, code, message, value}`. */
export const rejectedRows = pgTable(
  'rejected_rows',
  {
    fileId: integer('file_id').notNull(),
    line: integer('line').notNull(),
    /** The row as received, with card numbers masked; the archive keeps the bytes. */
    rawText: text('raw_text').notNull(),
    issues: jsonb('issues').notNull(),
  },
  (table) => [primaryKey({ columns: [table.fileId, table.line] })],
);

/**
 * Rejected rows that people corrected (design 4.9): the 36 cells as they were given back. The next run or re-run of its
 * day stores each as a record, at the file and line of the original, which stays in `rejected_rows`. Rows are only
 * added: the database refuses an update or a delete. No fence: a person may correct a row while a run is active.
 */
export const rowCorrections = pgTable(
  'row_corrections',
  {
    fileId: integer('file_id').notNull(),
    line: integer('line').notNull(),
    /** In the order of the file; card numbers in free texts are masked. */
    cells: jsonb('cells').notNull(),
    /** That of the cells. */
    settlementDate: date('settlement_date', { mode: 'string' }).notNull(),
    author: text('author').notNull(),
    /** The as-of date of the command. */
    decidedOn: date('decided_on', { mode: 'string' }).notNull(),
    decidedAt: moment('decided_at').notNull(),
    sheetName: text('sheet_name').notNull(),
    sheetSha256: identifier('sheet_sha256').notNull(),
    sheetLine: integer('sheet_line').notNull(),
  },
  (table) => [primaryKey({ columns: [table.fileId, table.line] })],
);

/**
 * What was fetched from where: shows a later run, from the listing alone, that it already has a remote file that is
 * still there. Trusted only if size and modification time are unchanged and the file had not changed for long enough
 * when it was fetched.
 */
export const remoteFiles = pgTable(
  'remote_files',
  {
    source: identifier('source').notNull(),
    path: identifier('path').notNull(),
    sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull(),
    modifiedAtMs: bigint('modified_at_ms', { mode: 'number' }).notNull(),
    sha256: identifier('sha256').notNull(),
  },
  (table) => [primaryKey({ columns: [table.source, table.path] })],
);
