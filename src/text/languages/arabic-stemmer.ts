import { foldDiacritics } from '../folding.ts';

/** Broken plurals that are common, and their singulars: they change within the word, so that no ending tells them. */
const PLURALS = `
  كتب كتاب, رجال رجل, نساء امرأة, أولاد ولد, أطفال طفل, أشخاص شخص, أفراد فرد, شعوب شعب, ملوك ملك, أصدقاء صديق,
  طلاب طالب, عمال عامل, علماء عالم, أطباء طبيب, وزراء وزير, رؤساء رئيس, خبراء خبير, قضاة قاض, مدن مدينة, دول دولة,
  قرى قرية, بيوت بيت, أبواب باب, غرف غرفة, شوارع شارع, طرق طريق, مدارس مدرسة, مكاتب مكتب, مصانع مصنع, مطاعم مطعم,
  مساجد مسجد, مواقع موقع, جبال جبل, بحار بحر, أنهار نهر, أشجار شجرة, أزهار زهرة, فواكه فاكهة, قلوب قلب, عيون عين,
  أيام يوم, شهور شهر, أشهر شهر, أسابيع أسبوع, أوقات وقت, أعمال عمل, مهن مهنة, أسماء اسم, أرقام رقم, حروف حرف,
  أحرف حرف, نصوص نص, صور صورة, رسائل رسالة, صحف صحيفة, أخبار خبر, دروس درس, أفلام فيلم, أقلام قلم, أسئلة سؤال,
  أجوبة جواب, أفكار فكرة, مبادئ مبدأ, أسباب سبب, نتائج نتيجة, أنواع نوع, أشكال شكل, أحداث حدث, أهداف هدف, مشاكل مشكلة,
  حلول حل, شروط شرط, عقود عقد, حقوق حق, قوانين قانون, قواعد قاعدة, أحكام حكم, محاكم محكمة, قضايا قضية, جرائم جريمة,
  حدود حد, أسعار سعر, أموال مال, بنوك بنك, أسواق سوق, مصادر مصدر, موارد مورد, مواد مادة, وسائل وسيلة, أحزاب حزب,
  حروب حرب, جيوش جيش, أسلحة سلاح, أديان دين, علوم علم, برامج برنامج, أنظمة نظام, جداول جدول, عناصر عنصر, وظائف وظيفة,
  خصائص خاصية, قيم قيمة, أخطاء خطأ, حقول حقل, أزرار زر, روابط رابط, نوافذ نافذة, قوائم قائمة, أجهزة جهاز, مفاتيح مفتاح`;

const PREFIX = /^(?:و?ال|[بكف]ال|و?لل)(?=..)|^و(?=...)/u;
/**
 * Possession, of which `ت` is what an ending `ة` becomes before it; then plurals, feminine endings, and the indefinite
 * accusative.
 */
const SUFFIXES = [/(?<=...)(?:(?<!ا)ت)?(?:هما|هم|ها|نا|كم)$/u, /(?<=...)(?:(?<!ا)ته|(?<=ات)ه)$/u, /(?<=..)ها$/u,
  /(?<=..)(?:ان|ات|ون|ين)$/u, /(?<=..)(?:يه|ه|ي)$/u, /(?<=...)ا$/u];

const SINGULARS = brokenPlurals();

/**
 * The light stemmer `light10` for Arabic (L. Larkey, L. Ballesteros and M. Connell, Light Stemming for Arabic
 * Information Retrieval, 2007): it removes the article with the particles before it, and endings; those of possession
 * are an addition. Other particles may be the first letter of the word itself, so they are spellings of a query
 * (`spellings.ts`).
 *
 * Broken plurals have the stem of their singular. Expects a word without vowel signs and with one form of each letter
 * (`foldDiacritics`); returns a non-empty stem.
 */
export function stemArabic(word: string): string {
  const stem = withoutAffixes(word);
  return SINGULARS.get(stem) ?? stem;
}

function withoutAffixes(word: string): string {
  return SUFFIXES.reduce((stem, suffix) => stem.replace(suffix, ''), word.replace(PREFIX, ''));
}

/** Singulars by broken plurals, both without affixes; no plural is a singular, too, or has less than three letters. */
function brokenPlurals(): ReadonlyMap<string, string> {
  const stemOf = (word: string): string => withoutAffixes(foldDiacritics(word));
  const pairs = PLURALS.trim().split(/,\s+/).map((pair) => pair.split(' ').map(stemOf) as [string, string]);
  const singulars = new Set(pairs.map(([, singular]) => singular));
  return new Map(pairs.filter(([plural]) => plural.length > 2 && !singulars.has(plural)));
}
