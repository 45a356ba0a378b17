import type { Sql } from '../../db/client.js';
import { databaseMoment } from '../../db/database-moment.js';
import type { CommandContext } from '../command-context.js';

/** Less is usual where machines set their clocks by a server now and then. */
const toleratedMs = 60_000;

/**
 * Whether this machine and the database server have the same time. A clock that is far off gives a run the wrong day,
 * starts scheduled runs at the wrong time, and delays notifications; nothing else shows which of two clocks is wrong.
 */
export async function describeClock(context: CommandContext): Promise<string> {
  const { sql } = await context.database();
  const aheadMs = await aheadOfDatabase(sql);
  if (Math.abs(aheadMs) <= toleratedMs) return 'as that of the database server, to the minute';
  const side = aheadMs > 0 ? 'ahead of' : 'behind';
  return `${inWords(Math.abs(aheadMs))} ${side} that of the database server
Warning: one of the two is wrong. Set the clocks of both machines by a time server (NTP): recon uses both.`;
}

/** How far this machine is ahead of the database server, at least; negative if it is behind. */
async function aheadOfDatabase(sql: Sql): Promise<number> {
  const askedMs = Date.now();
  const databaseMs = await databaseMoment(sql);
  const answeredMs = Date.now();
  // The server looked at its clock at some moment between the two.
  if (databaseMs < askedMs) return askedMs - databaseMs;
  return databaseMs > answeredMs ? answeredMs - databaseMs : 0;
}

/** The two largest units, such as `1 day 3 h`, `2 h 5 min` or `90 s`. */
function inWords(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  if (days > 0) return `${days} ${days === 1 ? 'day' : 'days'} ${hours % 24} h`;
  if (hours > 0) return `${hours} h ${minutes % 60} min`;
  return minutes > 1 ? `${minutes} min` : `${Math.floor(ms / 1000)} s`;
}
