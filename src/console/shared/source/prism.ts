import Prism from 'prismjs/components/prism-core.js';

/** The files of languages expect it as a global, and it would otherwise look for code in the page by itself. */
Prism.manual = true;
Object.assign(globalThis, { Prism });

export { Prism };
