export { createProjects } from './projects.ts';
