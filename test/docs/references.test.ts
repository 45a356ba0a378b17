import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { headingAnchor } from '../../scripts/heading-anchor.js';

/**
 * Comments and pages cite sections ("design 4.4", "operations 2.3", "catalogue 2.27"), files and headings. Each of
 * them must lead somewhere: a newcomer follows them.
 */
const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

function filesBelow(folder: string, ending: RegExp): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => `${folder}/${name}`);
}

const pages = [...readdirSync(root).filter((name) => name.endsWith('.md')), ...filesBelow('docs', /\.md$/)];
const ownPages = pages.filter((page) => !page.startsWith('docs/specification/'));
const code = [
  ...['src', 'test', 'scripts', 'bench'].flatMap((folder) => filesBelow(folder, /\.(ts|mjs)$/)),
  ...filesBelow('drizzle', /\.sql$/),
];

const citedPages: Record<string, string> = {
  design: 'docs/design.md',
  operations: 'docs/specification/gateway-operations.md',
  catalogue: 'docs/specification/gateway-field-catalog.md',
};

/** The numbers of the sections of a page: `4.4` of `### 4.4 Matching`. */
function sectionsOf(page: string): Set<string> {
  return new Set([...read(page).matchAll(/^#+ (\d+(?:\.\d+)*)\.? /gm)].map((match) => match[1] ?? ''));
}

describe('references to sections', () => {
  test.each(Object.entries(citedPages))('to the %s lead to a section of %s', (word, page) => {
    const sections = sectionsOf(page);
    const citation = new RegExp(String.raw`\b${word} (\d+(?:\.\d+)*)`, 'g');
    const dead = [...code, ...ownPages].flatMap((file) =>
      [...read(file).matchAll(citation)]
        .map((match) => match[1] ?? '')
        .filter((section) => !sections.has(section))
        .map((section) => `${file}: ${word} ${section}`),
    );
    expect(sections.size).toBeGreaterThan(5);
    expect(dead).toEqual([]);
  });
});

describe('links of pages', () => {
  const anchorsOf = (page: string) =>
    new Set([...read(page).matchAll(/^#+ (.*)$/gm)].map((match) => headingAnchor(match[1] ?? '')));

  test('lead to files and headings that exist', () => {
    const dead = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\(([^)\s]+)\)/g)]
        .map((match) => match[1] ?? '')
        .filter((link) => !/^[a-z]+:/.test(link))
        .filter((link) => {
          const [file = '', anchor] = link.split('#');
          const target = file === '' ? page : path.posix.join(path.posix.dirname(page), file);
          if (!existsSync(path.join(root, target))) return true;
          return anchor !== undefined && !anchorsOf(target).has(anchor);
        })
        .map((link) => `${page}: ${link}`),
    );
    expect(dead).toEqual([]);
  });

  test('name only files of the repository that exist', () => {
    const dead = ownPages
      .filter((page) => page !== 'CHANGELOG.md')
      .flatMap((page) =>
        [...read(page).matchAll(/`((?:src|test|docs|scripts|bench|drizzle|fixtures)\/[\w./-]*[\w/])`/g)]
          .map((match) => match[1] ?? '')
          .filter((file) => !existsSync(path.join(root, file)))
          .map((file) => `${page}: ${file}`),
      );
    expect(dead).toEqual([]);
  });

  test('name only files of src that exist in the journey of a record', () => {
    const named = [...read('README.md').matchAll(/ │ .* {2,}([\w-]+\/[\w/-]+)$/gm)].map(
      (match) => match[1] ?? '',
    );
    expect(named.length).toBeGreaterThan(9);
    expect(named.filter((file) => !existsSync(path.join(root, 'src', `${file}.ts`)))).toEqual([]);
  });
});
