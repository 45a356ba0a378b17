/**
 * A process that uses the embedded database: opens it, stores its argument, says `ready` and its server's
 * process, and closes on end of input. Run by the tests, also as another user.
 */
import pino from 'pino';
import { openDatabase } from '../../../src/db/connect.js';

const [directory = '', text = ''] = process.argv.slice(2);
try {
  const database = await openDatabase({ dataDirectory: directory }, { logger: pino({ enabled: false }) });
  await database.sql.begin(async (tx) => {
    // Two processes that create a table at the same time collide even with "if not exists".
    await tx`select pg_advisory_xact_lock(1)`;
    await tx`create table if not exists texts (text text)`;
  });
  await database.sql`insert into texts values (${text})`;
  const rows = await database.sql<{ text: string }[]>`select text from texts order by text`;
  process.stdout.write(`ready ${rows.map((row) => row.text).join(',')}\n`);
  for await (const _ of process.stdin);
  await database.close();
  process.stdout.write('closed\n');
} catch (thrown) {
  const { code, message } = thrown as { code?: string; message: string };
  process.stdout.write(`failed ${code ?? ''} ${message}\n`);
}
