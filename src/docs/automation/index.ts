/** The entry point of the automation area. */
export { createAutomation, type Automation } from './automation.ts';
