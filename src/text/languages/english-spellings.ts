/**
 * The spelling of an English word by which it is stemmed: the singular of an irregular plural, and the American one of
 * two spellings. Endings are rewritten also in words that have only one spelling (`detour`), as long as all inflections
 * of it change alike: stems are compared, never shown.
 */
export function usualSpelling(word: string): string {
  return american(singular(word));
}

/** Plurals that no ending tells. Words in `men` are those of `man`, except for those in `NO_MEN`. */
const PLURALS = pairs(`
  children child, oxen ox, feet foot, teeth tooth, geese goose, mice mouse, lice louse, people person,
  indices index, vertices vertex, matrices matrix, appendices appendix, vortices vortex, codices codex,
  apices apex, helices helix, cortices cortex, directrices directrix, quizzes quiz, buses bus, gases gas, axes axis,
  criteria criterion, phenomena phenomenon, automata automaton, polyhedra polyhedron, ganglia ganglion, data datum,
  bacteria bacterium, curricula curriculum, memoranda memorandum, symposia symposium, spectra spectrum,
  strata stratum, quanta quantum, errata erratum, addenda addendum, millennia millennium, aquaria aquarium,
  consortia consortium, ova ovum, maxima maximum, minima minimum, optima optimum, schemata schema, stigmata stigma,
  corpora corpus, genera genus, radii radius, nuclei nucleus, stimuli stimulus, cacti cactus, fungi fungus,
  alumni alumnus, foci focus, syllabi syllabus, loci locus, bacilli bacillus, octopi octopus, termini terminus,
  formulae formula, larvae larva, vertebrae vertebra, antennae antenna, alumnae alumna, nebulae nebula, algae alga,
  leaves leaf, knives knife, wives wife, wolves wolf, halves half, shelves shelf, selves self, thieves thief,
  loaves loaf, calves calf, scarves scarf, hooves hoof, elves elf, sheaves sheaf, crises crisis, theses thesis,
  hypotheses hypothesis, syntheses synthesis, parentheses parenthesis, synopses synopsis, diagnoses diagnosis,
  prognoses prognosis, oases oasis, emphases emphasis, ellipses ellipsis, neuroses neurosis, bureaux bureau,
  plateaux plateau, tableaux tableau`);
const NO_MEN = /^(?:speci|regi|abdo|o|acu|sta|se|lu|hy|a|ye|fora|cycla|exa|ra|ru|albu|ceru|dol)men$/;

function singular(word: string): string {
  if (word.endsWith('men') && !NO_MEN.test(word)) return `${word.slice(0, -3)}man`;
  const compound = word.endsWith('mice') ? word.slice(0, -4) : '';
  const found = PLURALS.get(word.slice(compound.length));
  return found === undefined ? word : compound + found;
}

/** Words of their own, by their American spelling. */
const SPELLINGS = pairs(`
  grey gray, greys gray, greyed grayed, programme program, programmes programs, judgement judgment,
  judgements judgments, acknowledgement acknowledgment, ageing aging, mould mold, moulds molds, plough plow,
  ploughs plows, sceptic skeptic, sceptics skeptics, sceptical skeptical, jewellery jewelry, tyre tire, tyres tires,
  aluminium aluminum, cosy cozy, pyjamas pajamas, artefact artifact, artefacts artifacts, licence license,
  licences licenses, practise practice, practises practices, practised practiced, practising practicing,
  fulfil fulfill, fulfils fulfills, enrol enroll, enrols enrolls, skilful skillful,
  manoeuvre maneuver, manoeuvres maneuvers, encyclopaedia encyclopedia, aesthetic esthetic, aesthetics esthetics,
  archaeology archeology, doughnut donut, doughnuts donuts`);

/** Beginnings of words in `-ise` that are never written with `z`, so that they keep the stem of `precisely`. */
const ALWAYS_S =
  /(?:adv|advert|^ar|chast|conc|circumc|compr|dem|desp|dev|gu|enterpr|exc|exerc|expert|franch|improv|inc|merchand|no|parad|po|prec|prem|prom|ra|rev|^r|superv|surm|surpr|telev|treat|w)$/;
const VERB = /([iy])s(e|es|ed|ing|er|ers|ation|ations|able|is)$/;
const VOWEL = /[aeiouy]/;

function american(word: string): string {
  const known = SPELLINGS.get(word);
  if (known !== undefined) return known;
  if (word.length < 5) return word;
  const verb = VERB.exec(word);
  const [, sound = '', ending = ''] = verb ?? [];
  const start = word.slice(0, verb?.index);
  if (verb !== null && VOWEL.test(start) && (sound === 'y' || (ending !== 'is' && !ALWAYS_S.test(start))))
    // A noun such as `analysis` is one with its verb, because the plurals of both are.
    return `${start}${sound}z${ending === 'is' ? 'e' : ending}`;
  return word.replace(/([aeiouy][^aeiouy]+i?)our/, '$1or').replace(
    /(cent|theat|met|lit|fib|calib|sab|spect|lust|somb|meag)re(s|d)?$/,
    (_, base: string, end = '') => `${base}er${end === 'd' ? 'ed' : end}`,
  ).replace(/logu(?:e(s|d)?|ing)$/, (_, end = '') => `log${end === 'd' ? 'ed' : end}`).replace(/^(def|off|pret)ence/,
    '$1ense');
}

function pairs(list: string): ReadonlyMap<string, string> {
  return new Map(list.trim().split(/,\s+/).map((pair) => pair.split(' ') as [string, string]));
}
