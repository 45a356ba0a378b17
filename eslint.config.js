import js from '@eslint/js';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: [
      'dist',
      'node_modules',
      'coverage',
      '.cache',
      'recon-data',
      'recon-demo',
      'drizzle',
      'fixtures',
    ],
  },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // Counts, ports and ids in messages are numbers; spelling String(n) out adds nothing.
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      'no-console': 'error',
      // The formatter wraps code, but leaves comments and texts as they are.
      'max-len': ['error', { code: 1000, comments: 120, ignoreUrls: true, ignorePattern: 'eslint-disable' }],
      // Control characters are what several of our patterns exist to refuse.
      'no-control-regex': 'off',
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only src/cli/main.ts reads the environment.' },
        { object: 'process', property: 'exit', message: 'Only src/cli/main.ts ends the process.' },
        { object: 'Number', property: 'parseFloat', message: 'Money is never a float.' },
      ],
      'no-restricted-globals': ['error', { name: 'parseFloat', message: 'Money is never a float.' }],
      'no-restricted-syntax': [
        'error',
        {
          selector: "ImportDeclaration[source.value='zod'] :matches(ImportSpecifier, ImportDefaultSpecifier)",
          message:
            'Write `import * as z`: otherwise the bundle has all of zod, with its texts in fifty languages.',
        },
      ],
    },
  },
  {
    files: ['src/cli/main.ts', 'test/**/*.ts', 'bench/**/*.ts', '*.config.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    files: ['**/*.mjs', '**/*.js'],
    languageOptions: {
      globals: { process: 'readonly', console: 'readonly', URL: 'readonly', Buffer: 'readonly' },
    },
  },
  {
    // These run in a browser; `tsc -p` of their folder checks their names and types.
    files: ['src/review/assets/*.js', 'src/http/widget/assets/*.js'],
    rules: { 'no-undef': 'off' },
  },
);
