import './huge-account.test.ts';
