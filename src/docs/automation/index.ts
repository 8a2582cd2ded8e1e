/** The entry point of the automation area. */
export { type Automation, createAutomation } from './automation.ts';
