/** The door of the automation area. */
export { createAutomation, type Automation } from './automation.ts';
