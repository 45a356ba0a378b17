import path from 'node:path';
import { defaultConfig } from '../../config/load-config.js';
import { clearDemoDirectory, runDemo } from '../../demo/run-demo.js';
import { exitCodes } from '../../errors.js';
import type { RunOutcome } from '../../outcome.js';
import { packageFile } from '../../package-files.js';
import type { RunCommand } from '../command-definition.js';
import { printOutcome } from '../finish-run.js';
import { openContext } from '../open-context.js';

/** Needs no configuration and ignores any: it has its own folder and its own embedded database. */
export const demo: RunCommand = async (outer) => {
  const dataDirectory = path.resolve(outer.cwd, 'recon-demo');
  await clearDemoDirectory(dataDirectory);
  // The command prints what the demo does; log lines would only be in the way.
  const options = { ...outer.options, logLevel: outer.options.logLevel ?? 'warn' };
  const { context, explain, close } = openContext(outer, options, {
    config: defaultConfig(dataDirectory),
  });
  try {
    context.printLine('Creating a PostgreSQL database in recon-demo; this takes a few seconds.');
    const ended = await runDemo(await context.runContext(), (line) => context.printLine(line));
    // The rejected rows of the sample are intended, so they are not a failure.
    const exitCode = ended.exitCode === exitCodes.rejected ? exitCodes.done : ended.exitCode;
    printOutcome(context, { ...ended, exitCode }, null, nextCommands(outer.cwd, ended));
    return exitCode;
  } catch (thrown) {
    throw await explain(thrown);
  } finally {
    await close();
  }
};

/** How to call this program: by its name, or by its file in a clone of the project. */
function programName(cwd: string): string {
  const file = path.relative(cwd, packageFile('dist/cli/main.js'));
  return file.startsWith('..') ? 'recon' : `node ${file}`;
}

function nextCommands(cwd: string, { reports }: RunOutcome): string[] {
  const recon = programName(cwd);
  const near = (file: string) => path.relative(cwd, file);
  const onSample = `RECON_DATA_DIR=recon-demo ${recon}`;
  return [
    ...(reports === null
      ? []
      : [
          `Open ${near(reports.page)} in a browser, and`,
          `${near(reports.openItemsXlsx)} in a spreadsheet: finance reads the page and works in the workbook.`,
        ]),
    'The discrepancies and rejected rows are part of the sample.',
    `${onSample} discrepancies                              # the open discrepancies`,
    `${onSample} explain settlement-2026-11-19.csv:124      # why a record matched as it did`,
    `${onSample} rerun --from 2026-11-17 --to 2026-11-19    # the same three days again`,
    `${recon} init    # your own configuration`,
  ];
}
