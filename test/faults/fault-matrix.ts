/**
 * Everything that has been known to go wrong with the transfer, the content and the booking of settlement files,
 * numbered. A test that shows what happens then carries the number at the beginning of its name (`F12 …`, or
 * `F9 F12 …` for several); `npm run faults:list` shows which test stands for which number.
 */
export type FaultGroup =
  'transfer' | 'names' | 'content' | 'crash' | 'database' | 'time' | 'reports' | 'payment core' | 'webhooks';

export interface Fault {
  readonly number: number;
  readonly title: string;
  readonly group: FaultGroup;
  /** Why no test carries the number; absent as soon as one does. */
  readonly reason?: string;
}

/** The gateway calls the same operation, so the rule is tested where it is. */
const insideTheLibrary = (file: string) =>
  `over HTTP it is the same operation of the payment core, which is tested in ${file}`;

type Described = readonly [number: number, title: string, reason?: string];

const groups: Readonly<Record<FaultGroup, readonly Described[]>> = {
  transfer: [
    [1, 'the connection is refused, or the name does not resolve'],
    [2, 'the server accepts the connection and says nothing'],
    [3, 'password or key is refused'],
    [4, 'the host key is unknown or another than before'],
    [5, 'the certificate is self-signed, expired, of another name, or TLS is too old'],
    [6, 'the offer of TLS is taken away on the way'],
    [7, 'the server insists that data connections resume the TLS session'],
    [8, 'the server sends the data connection to another host'],
    [9, 'the bytes stop in the middle of a file, the connection stands'],
    [10, 'the server’s process is stopped'],
    [11, 'the server’s process is killed while its connection lives'],
    [12, 'the connection ends or is reset in the middle of a file'],
    [13, 'the data ends early and is called complete'],
    [14, 'the server tells neither size nor time'],
    [15, 'a bit is flipped on plain FTP'],
    [16, 'the library says done before the bytes are on disk'],
    [17, 'the server sends a byte now and then'],
    [18, 'the listing is endless, or has far too many entries'],
    [19, 'the folder has ten thousand small files'],
    [20, 'one file or folder may not be read'],
    [21, 'a file vanishes between the listing and the fetching'],
    [22, 'the server ends an idle session between two files'],
    [23, 'a half file of a dead run lies about'],
    [24, 'the local disk fills while a file is fetched'],
    [25, 'the disk fails when the bytes are synced'],
    [26, 'moving or deleting the fetched file is refused'],
  ],
  names: [
    [27, 'the file is still being uploaded'],
    [28, 'the file grows, shrinks or is replaced while it is read'],
    [29, 'the file is rewritten with the same size in the same second'],
    [30, 'temporary and hidden names'],
    [31, 'the same file again, under its own or another name'],
    [32, 'the same name with other content'],
    [33, 'a corrected file'],
    [34, 'a correction and its original in one run, in either order'],
    [35, 'one name from two sources, or names that differ in case or accents only'],
    [36, 'the date in the name is not the one inside'],
    [37, 'an old file again after its bytes left the archive'],
    [38, 'a file without a byte'],
    [39, 'an archive format, a bomb or one that leads elsewhere'],
    [40, 'a file of many gigabytes'],
    [41, 'a file over the limit, or a server that lies about its size'],
    [42, 'names that lead out of the folder'],
    [43, 'names that obey a terminal or a shell'],
    [44, 'names that are not UTF-8'],
    [45, 'links, pipes, devices and folders that are named like files'],
  ],
  content: [
    [46, 'a header and nothing else'],
    [47, 'a header that is missing, renamed, doubled, too short or too long'],
    [48, 'a header in another order'],
    [49, 'a BOM, other case or blanks in the header'],
    [50, 'another delimiter'],
    [51, 'rows with too few or too many cells'],
    [52, 'quoted delimiters, newlines and quotes'],
    [53, 'a quote that is never closed'],
    [54, 'a quote inside a cell, text after a quote'],
    [55, 'line ends of every kind'],
    [56, 'a file that was cut at any byte'],
    [57, 'blank lines'],
    [58, 'UTF-16 and UTF-32'],
    [59, 'Latin-1'],
    [60, 'control, invisible and impossible characters'],
    [61, 'records and cells of enormous length'],
    [62, 'values that are none of the allowed'],
    [63, 'amounts in every wrong form'],
    [64, 'days and times that do not exist'],
    [65, 'sign, currency and zero that contradict the payment'],
    [66, 'a footer'],
    [67, 'the same row twice, in one file or in two'],
    [68, 'the same key with another amount'],
    [69, 'whole card numbers'],
    [70, 'texts that are code elsewhere'],
    [71, 'rows in another order, files in parts'],
    [72, 'references that only look alike'],
  ],
  crash: [
    [73, 'killed at any step'],
    [74, 'killed at any time'],
    [75, 'killed again while repairing'],
    [76, 'asked to stop'],
    [77, 'paused until another run took over'],
    [78, 'out of memory or file handles'],
    [79, 'many runs at once'],
  ],
  database: [
    [80, 'the connection that holds the lock dies'],
    [81, 'a connection dies in the middle of a transaction'],
    [82, 'the answer to a commit is lost'],
    [83, 'the server stops, is down at the start, or is replaced'],
    [84, 'the server refuses rows in the middle of a COPY'],
    [85, 'another session holds a lock'],
    [86, 'a deadlock'],
    [87, 'the disk of the server is full'],
    [88, 'archive or reports are full, read-only or damaged'],
    [89, 'too many connections, or a pool that shares sessions'],
    [90, 'a schema of another version, two migrations at once'],
    [91, 'the embedded folder opened twice or created by halves'],
    [92, 'the embedded server orphaned, as root, or in the way of another'],
    [93, 'payments stored while records are matched'],
  ],
  time: [
    [94, 'the night in which the clock is changed'],
    [95, 'the machine was off for nights'],
    [96, 'a run that takes longer than its period'],
    [97, 'the clock jumps'],
    [98, 'another time zone, language or collation'],
    [99, 'midnight, and the day it belongs to'],
    [100, 'ranges that are reversed, huge, of today or of one day'],
  ],
  reports: [
    [101, 'texts that a spreadsheet takes for formulas'],
    [102, 'killed or without space while reports are written'],
    [103, 'the place of the reports is missing, locked or read-only'],
    [104, 'what a spreadsheet does to text and numbers'],
    [105, 'more rows than a spreadsheet has'],
    [106, 'nothing to report'],
    [107, 'a report that was changed afterwards'],
    [108, 'an order that depends on the storage'],
  ],
  'payment core': [
    [109, 'a token that is missing, wrong, revoked or doubled'],
    [110, 'a token of one merchant, a payment of another'],
    [111, 'a body that is too large, packed or endless'],
    [112, 'another content type, broken escapes'],
    [113, 'parameters that reach for prototypes'],
    [114, 'parameters too deep, too many, too long'],
    [115, 'indices that are no indices'],
    [116, 'one parameter twice'],
    [117, 'amounts in every wrong form'],
    [118, 'captures over what was authorised'],
    [119, 'refunds over what was captured'],
    [120, 'two reversals, or a reversal against a capture'],
    [121, 'every operation in every state'],
    [122, 'one idempotency key many times'],
    [123, 'killed between commit and answer'],
    [124, 'security codes and card numbers at rest'],
    [125, 'a registration used while it is deleted'],
    [126, 'queries without bounds, pages that shift'],
    [127, 'requests that two readers understand differently'],
  ],
  webhooks: [
    [128, 'a flipped bit, another key, a short tag'],
    [129, 'notifications twice, late and out of order'],
    [130, 'a receiver that fails, redirects or never ends'],
    [131, 'the sender killed around its sending'],
    [132, 'a target inside the network'],
    [133, 'keys changed under load'],
    [134, 'secrets in logs, errors, reports or tables'],
    [135, 'line ends and terminal codes in logged values'],
    [136, 'a health endpoint that only says the process is up'],
  ],
};

// The record's keys are the groups, which Object.entries forgets.
export const faultMatrix: readonly Fault[] = (Object.entries(groups) as [FaultGroup, readonly Described[]][])
  .flatMap(([group, faults]) =>
    faults.map(([number, title, reason]) => ({
      number,
      title,
      group,
      ...(reason === undefined ? {} : { reason }),
    })),
  )
  .sort((a, b) => a.number - b.number);
