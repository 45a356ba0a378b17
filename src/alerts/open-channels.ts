import type { AlertSettings } from '../config/alerts-schema.js';
import type { Channel } from './channel.js';
import { commandChannel } from './command.js';
import { emailChannel } from './email.js';
import { webhookChannel } from './webhook.js';

/**
 * The configured channels; none means that there are no alerts.
 *
 * @param environment of the program that the channel `command` starts
 */
export function openChannels(
  { email, webhook, command }: AlertSettings,
  clock: () => number,
  environment: Readonly<Record<string, string>>,
): Channel[] {
  return [
    ...(email === null ? [] : [emailChannel(email)]),
    ...(webhook === null ? [] : [webhookChannel(webhook, clock)]),
    ...(command === null ? [] : [commandChannel(command, environment)]),
  ];
}
