// Evaluated for each test file. What it imports is evaluated once in a process, however many files run there.
import './seed-properties.ts';
