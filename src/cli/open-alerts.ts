import { Alerts } from '../alerts/alerts.js';
import type { Channel } from '../alerts/channel.js';
import { openChannels } from '../alerts/open-channels.js';
import type { CommandContext } from './command-context.js';

/** The variables of the environment that a program started for an alert gets; the rest may contain passwords. */
const passedOn = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'USER'];
const usualPath = '/usr/local/bin:/usr/bin:/bin';

/** The environment of a program that is started: only the variables that are passed on. */
export function programEnvironment(
  context: CommandContext,
): Readonly<Record<string, string>> & { PATH: string } {
  const given = passedOn.flatMap((name) => {
    const value = context.environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { PATH: usualPath, ...Object.fromEntries(given) };
}

/** The channels of `alerts`: mail, webhook and command; empty if none is configured. */
export function channelsOf(context: CommandContext): Channel[] {
  return openChannels(context.config().alerts, Date.now, programEnvironment(context));
}

/** The alerts of a command; null without a channel: then nothing is compared, stored or sent. */
export function alertsOf(context: CommandContext): Alerts | null {
  const { alerts: settings, sources, timezone, dataDirectory } = context.config();
  const channels = channelsOf(context);
  if (channels.length === 0) return null;
  const logger = context.logger();
  return new Alerts({ settings, channels, sources, timezone, dataDirectory, logger, clock: Date.now });
}
