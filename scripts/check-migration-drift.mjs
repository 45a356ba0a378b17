/**
 * Fails when the tables in `src/db/schema` differ from what the migrations create: `drizzle-kit generate` would then
 * write a new migration. This script runs it on a temporary copy of the migrations.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
// The copy is below the project, because drizzle-kit takes the folder relative to it.
const copy = mkdtempSync(path.join(root, '.drift-'));

/** The migrations of a folder: its SQL files. */
const migrations = (folder) => readdirSync(folder).filter((name) => name.endsWith('.sql'));

try {
  cpSync(path.join(root, 'drizzle'), copy, { recursive: true });
  const before = migrations(copy);
  const generated = spawnSync(
    process.execPath,
    [
      path.join(root, 'node_modules/drizzle-kit/bin.cjs'),
      'generate',
      ...[
        '--dialect',
        'postgresql',
        '--schema',
        './src/db/schema/*.ts',
        '--out',
        path.basename(copy),
        '--name',
        'drift',
      ],
    ],
    // Without standard input drizzle-kit cannot ask questions; a rename that it would ask about is drift as well.
    { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const added = migrations(copy).filter((name) => !before.includes(name));
  if (added.length > 0) {
    console.error('The tables in src/db/schema differ from what drizzle/ creates. Missing migration:\n');
    for (const name of added) console.error(readFileSync(path.join(copy, name), 'utf8'));
    console.error('\nWrite it with: npx drizzle-kit generate --name <what it does>');
    process.exitCode = 1;
  } else if (generated.status !== 0 || !generated.stdout.includes('No schema changes')) {
    console.error(
      `drizzle-kit generate did not report that nothing changed:\n${generated.stdout}${generated.stderr}`,
    );
    process.exitCode = 1;
  } else {
    console.log('The migrations create exactly the tables of src/db/schema.');
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
