declare module 'wtf_wikipedia' {
  const wtf: (wikitext: string, options?: { title?: string }) => { text(): string };
  export default wtf;
}
