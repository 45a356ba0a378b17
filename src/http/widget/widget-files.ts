import { readFileSync } from 'node:fs';
import { toDiskError } from '../../disk/disk-errors.js';
import { programFile } from '../../package-files.js';

/** The files that the browser of a shopper gets. */
const names = ['payment-widgets.js', 'card-form.html', 'card-form.js', 'card-form.css'] as const;

type WidgetFile = (typeof names)[number];

let files: ReadonlyMap<WidgetFile, string> | undefined;

/**
 * The text of each file by its name, read once.
 *
 * @throws ReconError DISK_FAILED
 */
export function readWidgetFiles(): ReadonlyMap<WidgetFile, string> {
  try {
    return (files ??= new Map(names.map((name) => [name, readAsset(name)])));
  } catch (thrown) {
    throw toDiskError('read the files of the payment form', thrown) ?? thrown;
  }
}

/** The text of one of these files. */
export function widgetFile(name: WidgetFile): string {
  return readWidgetFiles().get(name) ?? '';
}

/**
 * The script of a checkout. It depends on nothing but the checkout, so that every process gives the same one, whose
 * hash is `integrity`. The core has checked that the id contains no script.
 */
export function paymentScript(checkoutId: string): string {
  return widgetFile('payment-widgets.js').replace('{checkoutId}', () => checkoutId);
}

function readAsset(name: WidgetFile): string {
  return readFileSync(programFile(`http/widget/assets/${name}`), 'utf8');
}
