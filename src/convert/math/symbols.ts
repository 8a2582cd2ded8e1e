/** Pairs of a character and what is written for it, from a list of words. */
function table(list: string, write: (word: string) => string): ReadonlyMap<string, string> {
  const words = list.split(' ');
  return new Map(words.flatMap((word, at) => (at % 2 === 0 ? [[word, write(words[at + 1]!)] as const] : [])));
}

const asCommand = (word: string) => `\\${word}`;

/** Characters that TeX has commands for; all others are written as they are. */
export const COMMANDS = table(
  'α alpha β beta γ gamma δ delta ε varepsilon ϵ epsilon ζ zeta η eta θ theta ϑ vartheta ι iota κ kappa λ lambda ' +
    'μ mu ν nu ξ xi π pi ϖ varpi ρ rho ϱ varrho σ sigma ς varsigma τ tau υ upsilon φ varphi ϕ phi χ chi ψ psi ω omega ' +
    'Γ Gamma Δ Delta ∆ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Υ Upsilon Φ Phi Ψ Psi Ω Omega ' +
    '∑ sum ∏ prod ∐ coprod ∫ int ∬ iint ∭ iiint ∮ oint ⋃ bigcup ⋂ bigcap ⋁ bigvee ⋀ bigwedge ⨁ bigoplus ⨂ bigotimes ' +
    '→ to ← leftarrow ↔ leftrightarrow ⇒ Rightarrow ⇐ Leftarrow ⇔ Leftrightarrow ↦ mapsto ↑ uparrow ↓ downarrow ' +
    '⟶ longrightarrow ⟹ Longrightarrow ⟺ Longleftrightarrow ⇌ rightleftharpoons ' +
    '≤ le ≥ ge ≠ ne ≈ approx ≡ equiv ∼ sim ≃ simeq ≅ cong ∝ propto ≪ ll ≫ gg ∈ in ∉ notin ∋ ni ⊂ subset ⊆ subseteq ' +
    '⊃ supset ⊇ supseteq ∪ cup ∩ cap ∖ setminus ∅ emptyset ∀ forall ∃ exists ∄ nexists ¬ neg ∧ wedge ∨ vee ⊕ oplus ' +
    '⊗ otimes ⊥ perp ∥ parallel ∣ mid ∠ angle ⊢ vdash ⊨ models ± pm ∓ mp × times ÷ div ⋅ cdot · cdot ∗ ast ∘ circ ' +
    '∙ bullet ∞ infty ∂ partial ∇ nabla ℏ hbar ℓ ell ℜ Re ℑ Im ℵ aleph … dots ⋯ cdots ⋮ vdots ⋱ ddots ′ prime ' +
    '⟨ langle ⟩ rangle 〈 langle 〉 rangle ⌊ lfloor ⌋ rfloor ⌈ lceil ⌉ rceil ‖ Vert',
  asCommand,
);

/** Commands that stand for a letter. */
export const LETTERS: ReadonlySet<string> = new Set(
  [...COMMANDS].filter(([character]) => /\p{L}/u.test(character)).map(([, command]) => command),
);

/** Signs with another form in TeX, and characters that only say how a formula is read aloud. */
export const SIGNS: ReadonlyMap<string, string> = new Map([['−', '-'], ['\u2061', ''], ['\u2062', ''], ['\u2063', ''], [
  '\u2064',
  '',
], ['\u200b', ''], ['\u00a0', '~'], ['\\', '\\backslash'], ['^', '\\hat{}'], ['~', '\\sim']]);

export const FUNCTIONS: ReadonlySet<string> = new Set(
  ('arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf limsup ln log max ' +
    'min Pr sec sin sinh sup tan tanh').split(' '),
);

/** Characters above a letter. */
export const ACCENTS = table(
  '\u0302 hat ^ hat ˆ hat \u0303 tilde ~ tilde ˜ tilde \u0304 bar ¯ bar ‾ overline \u0305 overline \u0307 dot ˙ dot ' +
    '\u0308 ddot ¨ ddot \u20db dddot \u20d7 vec \u20d6 overleftarrow \u20e1 overleftrightarrow \u030c check ˇ check ' +
    '\u0306 breve ˘ breve \u0301 acute ´ acute \u0300 grave ` grave ⏞ overbrace ︷ overbrace',
  asCommand,
);

/** Characters below a letter. */
export const ACCENTS_BELOW = table(
  '_ underline \u0332 underline \u0331 underline ¯ underline ⏟ underbrace ︸ underbrace',
  asCommand,
);
