export { createProjects, type NextRuns, type ProjectsOptions } from './projects.ts';
