// Evaluated for each test file. Its imports are evaluated once per process, however many files run there.
import './seed-properties.ts';
import './over-postgres.ts';
