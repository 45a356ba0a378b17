import type { Alert } from '../../alerts/alert.js';
import { failureOf, readAlertState, type AlertState } from '../../alerts/stored-alerts.js';
import { exitCodes, ReconError } from '../../errors.js';
import type { RunCommand } from '../command-definition.js';
import { channelsOf } from '../open-alerts.js';
import { printable } from '../text/printable.js';
import { textTable } from '../text/text-table.js';
import { withoutDatabase } from '../without-runs.js';

const noAlerts: AlertState = { conditions: [], waiting: [] };

/** What is wrong at present, and what could not be sent yet. */
export const alertsList: RunCommand = async (context) => {
  const database = await context.existingDatabase();
  const state = database === undefined ? noAlerts : await readAlertState(database.sql);
  const channels = channelsOf(context).map(({ name }) => name);
  context.print({ channels, ...state }, (paint) => {
    const { conditions, waiting } = state;
    const isChecked = channels.length > 0;
    const configured = isChecked
      ? `Channels: ${channels.join(', ')}`
      : 'No channel is configured (alerts), so nothing is checked.';
    const nothing = isChecked ? ['Nothing is wrong.'] : [];
    const holding =
      conditions.length === 0
        ? nothing
        : [
            textTable(
              ['since (UTC)', 'alert', 'message'],
              conditions.map(({ since, key, message }) => [
                since.slice(0, 16).replace('T', ' '),
                key,
                message,
              ]),
              { paint },
            ),
          ];
    const unsent = waiting.map(
      ({ channel, alerts, lastError }) =>
        `${alerts} waiting to be sent by ${channel}${lastError === null ? '' : `: ${lastError}`}`,
    );
    const text = [configured, ...holding, ...unsent.map(printable)].join('\n');
    return database === undefined ? withoutDatabase(context.config(), text, false) : text;
  });
  return exitCodes.done;
};

/** Sends an alert through every channel. It needs no database. */
export const alertsTest: RunCommand = async (context) => {
  const channels = channelsOf(context);
  if (channels.length === 0) {
    throw new ReconError(
      'CONFIG_INVALID',
      'No channel is configured: set alerts.email, alerts.webhook or alerts.command.',
    );
  }
  const nowMs = Date.now();
  const at = new Date(nowMs).toISOString();
  const alert: Alert = {
    key: 'test',
    kind: 'run-failed',
    message: 'This is a test of the alerts. Nothing is wrong.',
    state: 'test',
    since: at,
    at,
    runId: null,
    page: null,
  };
  const results: { channel: string; error: string | null }[] = [];
  for (const channel of channels) {
    const error = await failureOf(channel, [{ id: `alert-${nowMs}-test`, alert }]);
    results.push({ channel: channel.name, error });
  }
  context.print(
    results,
    (paint) =>
      results
        .map(({ channel, error }) =>
          error === null
            ? `${paint('good', 'sent ')}  ${channel}`
            : `${paint('bad', 'WRONG')}  ${channel}: ${printable(error)}`,
        )
        .join('\n'),
    results.flatMap(({ channel, error }) => (error === null ? [] : [`${channel}: ${error}`])),
  );
  return results.every(({ error }) => error === null) ? exitCodes.done : exitCodes.usage;
};
