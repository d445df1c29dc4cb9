import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist', 'target', '.tools', 'www/pkg', 'node_modules', 'tests/e2e/.results'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      'max-lines': ['error', { max: 350 }],
      eqeqeq: 'error',
      'no-console': ['error', { allow: ['error'] }],
      'no-restricted-properties': [
        'error',
        { property: 'innerHTML', message: 'Build elements; text of a kernel must never become markup.' },
        { property: 'outerHTML', message: 'Build elements; text of a kernel must never become markup.' },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      // With noUncheckedIndexedAccess a checked index needs an assertion; `as` says to what, `!` does not.
      '@typescript-eslint/non-nullable-type-assertion-style': 'off',
    },
  },
  {
    files: ['scripts/*.mjs'],
    extends: [tseslint.configs.recommended],
    rules: { 'max-lines': ['error', { max: 350 }], eqeqeq: 'error' },
  },
);
