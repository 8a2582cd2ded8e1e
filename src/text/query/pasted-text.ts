/**
 * Characters and words of code, command lines, URLs and paths: `a && b`, `x = -1;`, `https://…`, `C:\x`, `~/x`, `./x`,
 * `find . -name`.
 */
const CODE = /[\\|;={}<>[\]`]|&&|:\/\/|(?<!\S)(?:~|\.\.?)?\/\S|\S\/(?!\S)|(?<!\S)\.\.?(?!\S)/;
/** A name directly before a parenthesis, other than an operator. */
const CALL = /(?<!(?<![^\s()"])(?:AND|OR|NOT))(?<=[\w$])\(/;
/** An option of a command (`-m`, `--all`), or a name that begins with a hyphen (`-webkit-box`). */
const OPTION = /(?<!\S)-(?:[a-z\d](?!\S)|-[a-z]|[a-z\d]+-[a-z\d])/i;
/** A word as short as the name of a command, and a short one behind it with a hyphen. */
const COMMAND = /(?<!\S)([a-z]{2,4})\s+-([a-z][a-zA-Z]{1,4})(?!\S)/g;
const VOWEL = /[aeiouy]/i;

/**
 * Whether a query is text of another kind: what would be syntax in a query is part of that text (decision D-178). A
 * hyphen before a word, as in `apple -pie`, is not enough.
 */
export function isPasted(query: string): boolean {
  return CODE.test(query) || CALL.test(query) || OPTION.test(query) ||
    query.matchAll(COMMAND).some(([, command, options]) => hasOptions(command!, options!));
}

/** Options in one word are letters without a vowel, each once (`tar -xzf`), or follow two consonants (`ls -la`). */
function hasOptions(command: string, options: string): boolean {
  return (!VOWEL.test(options) && new Set(options).size === options.length) ||
    (command.length === 2 && !VOWEL.test(command) && options.length <= 3);
}
