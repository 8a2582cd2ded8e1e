// Prism without its page: the parts of a text by a grammar.
declare module 'prismjs/components/prism-core.js' {
  export type Content = string | Token | readonly (string | Token)[];
  export interface Token {
    readonly type: string;
    readonly content: Content;
  }
  export type Grammar = Readonly<Record<string, unknown>>;
  const Prism: {
    manual: boolean;
    readonly languages: Readonly<Record<string, Grammar | ((...args: never) => unknown)>>;
    tokenize(text: string, grammar: Grammar): (string | Token)[];
  };
  export default Prism;
}
declare module 'prismjs/components/prism-*.js';
