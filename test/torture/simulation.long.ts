import './simulation.test.ts';
