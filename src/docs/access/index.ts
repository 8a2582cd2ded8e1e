export { createAccess, type Access } from './access.ts';
export { backgroundUserOf, type BackgroundUser } from './background-user.ts';
export { recordOf } from './rows/user-rows.ts';
