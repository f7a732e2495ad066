import './watch-service.test.ts';
