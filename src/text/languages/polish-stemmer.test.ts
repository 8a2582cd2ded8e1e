import { describe, expect, it } from 'vitest';
import { analyzerFor } from './index.ts';
import { stemPolish } from './polish-stemmer.ts';

const { term } = analyzerFor('pl', { stemming: true, stopWords: 'none' });

/**
 * Each list contains forms of one word: nouns of the common declensions, adjectives with their degrees, verbs of the
 * three conjugations.
 */
const PARADIGMS = `
dom domu domowi domem domy domów domom domami domach
samochód samochodu samochodowi samochodem samochodzie samochody samochodów samochodom samochodami samochodach
stół stołu stołowi stołem stole stoły stołów stołom stołami stołach
system systemu systemowi systemem systemie systemy systemów systemom systemami systemach
program programu programowi programem programie programy programów programom programami programach
zapach zapachu zapachowi zapachem zapachy zapachów zapachom zapachami
lekarz lekarza lekarzowi lekarzem lekarzu lekarze lekarzy lekarzom lekarzami lekarzach
aktor aktora aktorowi aktorem aktorze aktorzy aktorów aktorom aktorami aktorach
chłopiec chłopca chłopcem chłopcu chłopcy chłopców chłopcom chłopcami chłopcach
koniec końca końcowi końcem końcu końce końców końcom końcami końcach
dokument dokumentu dokumentowi dokumentem dokumencie dokumenty dokumentów dokumentom dokumentami dokumentach
nauczyciel nauczyciela nauczycielowi nauczycielem nauczycielu nauczyciele nauczycieli nauczycielom nauczycielami nauczycielach
książka książki książce książkę książką książek książkom książkami książkach
kobieta kobiety kobiecie kobietę kobietą kobiet kobietom kobietami kobietach
ulica ulicy ulicę ulicą ulice ulic ulicom ulicami ulicach
praca pracy pracę pracą prace prac pracom pracami pracach
noga nogi nodze nogę nogą nóg nogom nogami nogach
droga drogi drodze drogę drogą dróg drogom drogami drogach
szkoła szkoły szkole szkołę szkołą szkół szkołom szkołami szkołach
restauracja restauracji restaurację restauracją restauracje restauracjom restauracjami restauracjach
historia historii historię historią historie historiom historiami historiach
wiadomość wiadomości wiadomością wiadomościom wiadomościami wiadomościach
noc nocy nocą noce nocom nocami nocach
okno okna oknu oknem oknie okien oknom oknami oknach
miasto miasta miastu miastem mieście miast miastom miastami miastach
zdjęcie zdjęcia zdjęciu zdjęciem zdjęć zdjęciom zdjęciami zdjęciach
pytanie pytania pytaniu pytaniem pytań pytaniom pytaniami pytaniach
muzeum muzea muzeów muzeom muzeami muzeach
nowy nowa nowe nowego nowej nowemu nową nowym nowi nowych nowymi nowszy nowsza nowszego nowszych najnowszy najnowsza najnowszego najnowszych
ładny ładna ładne ładnego ładnej ładnemu ładną ładnym ładni ładnych ładnymi ładniejszy ładniejsza ładniejszego najładniejszy najładniejszych
polski polska polskie polskiego polskiej polskiemu polską polskim polscy polskich polskimi
tani tania tanie taniego taniej taniemu tanią tanim tanich tanimi tańszy najtańszy
czytać czytam czytasz czyta czytamy czytacie czytają czytałem czytałam czytał czytała czytało czytali czytały czytaliśmy czytałbym czytałaby czytając czytający czytające czytanie czytania
kupować kupuję kupujesz kupuje kupujemy kupujecie kupują kupował kupowała kupowali kupowałem kupując kupujący kupowanie
robić robię robisz robi robimy robicie robią robił robiła robili robiły robiłem robiąc
uczyć uczę uczysz uczy uczymy uczycie uczą uczył uczyła uczyli uczyłam uczący
szukać szukam szukasz szuka szukamy szukacie szukają szukał szukała szukali szukając szukający
widzieć widzę widzisz widzi widzimy widzicie widzą widział widziała widzieli widziały
`.trim().split('\n').map((line) => line.split(' '));

function pairs<T>(items: readonly T[]): [T, T][] {
  return items.flatMap((a, i) => items.slice(i + 1).map((b): [T, T] => [a, b]));
}

describe('the Polish stemmer', () => {
  it('meets the forms of a word', () => {
    const missed = PARADIGMS.flatMap((forms) => pairs(forms).filter(([a, b]) => term(a) !== term(b)));
    const all = PARADIGMS.flatMap(pairs).length;
    expect(missed.length / all, missed.map((pair) => pair.join('/')).join(' ')).toBeLessThan(0.04);
  });

  it('keeps different words apart', () => {
    const met = pairs(PARADIGMS).filter(([a, b]) => a.some((form) => b.some((other) => term(form) === term(other))));
    expect(met.map(([[a], [b]]) => `${a}/${b}`)).toEqual([]);
  });

  it.each([['miejsce', 'miejski'], ['most', 'mostek'], ['kot', 'kotlet'], ['stan', 'stanik'], ['rok', 'rak'], ['ulica',
    'ul'], ['wiek', 'wiecznie'], ['plan', 'planeta'], ['pan', 'panel'], ['las', 'lasagne'], ['zamek', 'zamiana'], [
    'sztuka',
    'sztućce',
  ]])('does not take %s for %s', (a, b) => expect(term(a)).not.toBe(term(b)));

  it('finds words that were typed without their diacritics', () => {
    for (const [typed, written] of [['ksiazki', 'książka'], ['wiadomosci', 'wiadomość'], ['samochodow', 'samochód'], [
      'ladnych',
      'ładny',
    ], ['szkola', 'szkoła'], ['zdjecia', 'zdjęcie']] as const) {
      expect(term(typed), typed).toBe(term(written));
    }
  });

  it('leaves short words whole', () => {
    for (const word of ['dom', 'kot', 'las', 'rok', 'ul', 'a', 'oś', 'sok', 'krem', 'tłum', 'kraj'])
      expect(stemPolish(word)).toBe(word.replace('ś', 's'));
  });
});
