/**
 * Function words of Polish, for which the stop-word package has no list: pronouns, prepositions, conjunctions,
 * particles and forms of "być".
 */
export const POLISH_STOP_WORDS: readonly string[] = `
  a aby ach acz aczkolwiek albo ale ależ ani aż bardziej bardzo bez bo bowiem by być był była było były będzie będą będę
  będąc byli bym byś chce choć chociaż ci cię ciebie co cokolwiek coś czasami czasem czego czemu czy czyli daleko dla dlaczego
  dlatego do dobrze dokąd dość dziś gdy gdyby gdyż gdzie gdziekolwiek gdzieś go i ich ile im inna inne innego innej innych
  inny iż ja jak jaka jakaś jaki jakie jakiś jakkolwiek jako jakoś je jeden jedna jednak jednakże jedno jego jej jemu jest
  jestem jeszcze jeśli jeżeli już każda każde każdy kiedy kilka kto ktokolwiek ktoś która które którego której który których
  którym którzy ku lecz lub ma mają mam mi mimo między mnie mną mogą moi moim moja moje może możliwe można mój mu musi my na
  nad nam nami nas nasi nasz nasza nasze naszego naszych natomiast nic nich nie niech niego niej niemu nigdy nim nimi niż no
  o obok od około on ona one oni ono oraz po pod podczas pomimo ponad ponieważ poza przed przede przedtem przez przy
  również sam sama są się skąd sobie sobą swoje swój ta tak taka taki takie także tam te tego tej temu ten teraz też to tobą
  tobie toteż trzeba tu tutaj twoi twoim twoja twoje twój twym ty tych tylko tym u w wam wami was wasz wasza wasze we
  według wiele wielu więc właśnie wszyscy wszystkich wszystkie wszystkim wszystko wtedy wy z za zapewne zawsze ze znowu znów
  żaden żadna żadne żadnych że żeby
`.trim().split(/\s+/);
