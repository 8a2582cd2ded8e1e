/** The entry point of the spelling area. */
export { createSpell, type Spell, type Spelling } from './spell.ts';
