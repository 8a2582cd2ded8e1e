import { formsOf } from '../../../text/tokenize.ts';

/**
 * Words that indicate that a sentence decides or plans something, in the languages that the service stems. A short list
 * for each, of words that are rarely used otherwise: one common word would mark half of a conversation.
 */
const WORDS = `
decide decided decision agree agreed agreement confirm confirmed confirmation choose chose chosen plan planned deadline schedule scheduled
booked reserved cancelled canceled approved rejected must will should
entschieden entscheidung beschlossen vereinbart bestätigt bestätigen geplant gebucht abgelehnt muss müssen soll sollen werden
décidé décision convenu accord confirmé confirmer choisi prévu réservé annulé doit devons faut
decidido decisión acordado acuerdo confirmado confirmar elegido planeado reservado cancelado debe debemos
deciso decisione concordato accordo confermato confermare scelto prenotato annullato deve dobbiamo
decisão decidimos combinado confirmada escolhido agendado deve devemos
besloten beslissing afgesproken akkoord bevestigd bevestigen gekozen gepland geboekt geannuleerd moet moeten
zdecydowano decyzja uzgodniono potwierdzam potwierdzone wybrano zaplanowano zarezerwowano odwołano musimy należy
решено решили решение согласовано договорились подтверждаю подтверждено выбрали запланировано отменено нужно должны
beslutat beslut överens bekräftat bekräfta valt planerat bokat avbokat måste bör ska
besluttet beslutning enige bekreftet bekræftet valgt planlagt bestilt avtalt aftalt må skal
päätetty päätös sovittu vahvistettu vahvistan valittu suunniteltu varattu peruttu pitää täytyy
döntöttünk döntés megállapodtunk megerősítem választottuk tervezett lefoglalva kell
decis decizie hotărât convenit confirmat ales planificat rezervat anulat trebuie
karar kararlaştırıldı anlaştık onaylandı onaylıyorum seçtik planlandı iptal gerekiyor
قررنا القرار اتفقنا تأكيد أكد اخترنا يجب سوف
முடிவு ஒப்புக்கொண்டோம் உறுதி வேண்டும்
`;

/** In the form of tokens. */
const FORMS: ReadonlySet<string> = new Set(formsOf(WORDS));

export function isDecisionWord(form: string): boolean {
  return FORMS.has(form);
}
