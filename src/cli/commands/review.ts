import { explainSettingsOf } from '../../library/run-context-of.js';
import { serveReview } from '../../review/serve-review.js';
import { authorOption, isGiven, portOption, textOption, usageError } from '../command-arguments.js';
import type { RunCommand } from '../command-definition.js';
import { interruptedExitCode } from '../interrupted.js';
import { limitHeapGrowth } from '../limit-heap-growth.js';
import { viewOptions } from './items.js';

/** Serves the page until it is stopped. With --json each event is a document on a line. */
export const review: RunCommand = async (context, _args, options) => {
  const port = portOption(options) ?? 0;
  const isReadOnly = isGiven(options, 'readOnly');
  if (isReadOnly && textOption(options, 'by') !== null)
    throw usageError('--read-only decides nothing, so --by has no effect with it.');
  const author = isReadOnly ? null : authorOption(options, context.environment);
  const config = context.config();
  const viewOf = () => viewOptions(context, options);
  // A wrong --as-of is reported before anything is opened.
  viewOf();
  // A decision by filter may be about every item.
  limitHeapGrowth();
  const database = await context.database();
  let isFirst = true;
  const showLink = (url: string) => {
    if (context.options.json) {
      const document = { event: isFirst ? 'listening' : 'link', url };
      context.stdout.write(`${JSON.stringify(document)}\n`);
    } else if (isFirst) {
      const what =
        author === null
          ? 'Nothing can be decided on this page'
          : `Decisions are stored under the name ${author}`;
      context.stdout.write(
        `The open items are at this link, which works once, on this machine only:\n${url}\n`,
      );
      context.printLine(`${what}. Ctrl+C ends the command.`);
    } else {
      context.stdout.write(`A browser without the link asked for the page. A link for it:\n${url}\n`);
    }
    isFirst = false;
  };
  const settings = {
    database,
    logger: context.logger(),
    port,
    viewOf,
    explainSettings: explainSettingsOf(config, viewOf),
    author,
    fourEyesAbove: config.decisions.fourEyesAbove,
    clock: Date.now,
    showLink,
  };
  await serveReview(settings, context.signal);
  return interruptedExitCode(context.signal);
};
