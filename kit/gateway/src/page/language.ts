/** In which language a page speaks: dates in any that `Intl` knows, words in those that are written here. */

export interface Words {
  readonly none: string;
  readonly open: string;
  readonly cancelled: string;
  readonly noshow: string;
  readonly starred: string;
  readonly published: (date: string) => string;
  readonly timesIn: (zone: string) => string;
  readonly subscribe: string;
  readonly subscribeHint: string;
  readonly unavailable: string;
  /** The heading and the sentence of a page where there is nothing. */
  readonly nothing: string;
  readonly nothingHere: string;
}

export interface Language {
  /** Of dates and times. */
  readonly locale: string;
  /** Of the words. */
  readonly wordsLocale: string;
  readonly words: Words;
}

const WORDS: Readonly<Record<string, Words>> = {
  en: {
    none: 'No shifts are planned for this time.',
    open: 'Open',
    cancelled: 'Cancelled',
    noshow: 'No-show',
    starred: 'Highlighted',
    published: (date) => `Published on ${date}`,
    timesIn: (zone) => `All times are those of ${zone}.`,
    subscribe: 'Subscribe in your calendar',
    subscribeHint: 'Or copy this address into your calendar program:',
    unavailable: 'The shifts cannot be shown at the moment. Please try again soon.',
    nothing: 'Nothing here',
    nothingHere: 'There is nothing at this address. Please check it, or ask whoever gave it to you.',
  },
  de: {
    none: 'Für diese Zeit sind keine Schichten geplant.',
    open: 'Offen',
    cancelled: 'Abgesagt',
    noshow: 'Nicht erschienen',
    starred: 'Hervorgehoben',
    published: (date) => `Veröffentlicht am ${date}`,
    timesIn: (zone) => `Alle Zeiten gelten für ${zone}.`,
    subscribe: 'Im Kalender abonnieren',
    subscribeHint: 'Oder diese Adresse ins Kalenderprogramm kopieren:',
    unavailable: 'Die Schichten können gerade nicht gezeigt werden. Bitte versuchen Sie es bald noch einmal.',
    nothing: 'Hier ist nichts',
    nothingHere:
      'Unter dieser Adresse gibt es nichts. Bitte prüfen Sie sie, oder fragen Sie, wer sie Ihnen gegeben hat.',
  },
  nl: {
    none: 'Voor deze periode zijn geen diensten gepland.',
    open: 'Open',
    cancelled: 'Geannuleerd',
    noshow: 'Niet verschenen',
    starred: 'Gemarkeerd',
    published: (date) => `Gepubliceerd op ${date}`,
    timesIn: (zone) => `Alle tijden gelden voor ${zone}.`,
    subscribe: 'Abonneren in uw agenda',
    subscribeHint: 'Of kopieer dit adres naar uw agendaprogramma:',
    unavailable: 'De diensten kunnen nu niet worden getoond. Probeer het straks opnieuw.',
    nothing: 'Hier is niets',
    nothingHere: 'Op dit adres is niets te vinden. Controleer het, of vraag wie het u gegeven heeft.',
  },
  fr: {
    none: 'Aucun service n’est prévu pour cette période.',
    open: 'À pourvoir',
    cancelled: 'Annulé',
    noshow: 'Absent',
    starred: 'Mis en avant',
    published: (date) => `Publié le ${date}`,
    timesIn: (zone) => `Toutes les heures sont celles de ${zone}.`,
    subscribe: 'S’abonner dans votre agenda',
    subscribeHint: 'Ou copiez cette adresse dans votre agenda :',
    unavailable: 'Les services ne peuvent pas être affichés pour le moment. Veuillez réessayer bientôt.',
    nothing: 'Rien ici',
    nothingHere:
      'Il n’y a rien à cette adresse. Veuillez la vérifier ou demander à la personne qui vous l’a donnée.',
  },
  es: {
    none: 'No hay turnos previstos para este periodo.',
    open: 'Libre',
    cancelled: 'Cancelado',
    noshow: 'No se presentó',
    starred: 'Destacado',
    published: (date) => `Publicado el ${date}`,
    timesIn: (zone) => `Todas las horas son las de ${zone}.`,
    subscribe: 'Suscribirse en su calendario',
    subscribeHint: 'O copie esta dirección en su programa de calendario:',
    unavailable: 'Los turnos no se pueden mostrar en este momento. Vuelva a intentarlo pronto.',
    nothing: 'Aquí no hay nada',
    nothingHere: 'No hay nada en esta dirección. Compruébela o pregunte a quien se la dio.',
  },
};

const ENGLISH = WORDS.en as Words;
const MAX_HEADER_LENGTH = 1_000;
const MAX_TAGS = 20;
const MAX_TAG_LENGTH = 20;

const remembered = new Map<string, Language>();
const MAX_REMEMBERED = 100;

/** The tag of the same language without a region, or English where the words are. */
export function plainLanguage(acceptLanguage: string | undefined): string {
  const { language } = new Intl.Locale(chooseLanguage(acceptLanguage).locale);
  return language in WORDS ? language : 'en';
}

/**
 * The first language of the header, by preference, in which `Intl` can write dates. Browsers send few different
 * headers.
 */
export function chooseLanguage(acceptLanguage = ''): Language {
  const header = acceptLanguage.slice(0, MAX_HEADER_LENGTH);
  const known = remembered.get(header);
  if (known !== undefined) return known;
  const language = languageOf(header);
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  remembered.set(header, language);
  return language;
}

function languageOf(header: string): Language {
  const tags = preferredTags(header).map(supported);
  const locale = tags.find((tag) => tag !== undefined) ?? 'en';
  const language = locale.split('-', 1)[0] ?? 'en';
  const words = Object.hasOwn(WORDS, language) ? WORDS[language] : undefined;
  return { locale, wordsLocale: words === undefined ? 'en' : locale, words: words ?? ENGLISH };
}

function preferredTags(header: string): string[] {
  return header
    .split(',', MAX_TAGS)
    .map((item) => {
      const [tag = '', ...parameters] = item.trim().split(/\s*;\s*/);
      const weight = parameters.find((parameter) => parameter.startsWith('q='));
      return { tag, weight: weight === undefined ? 1 : Number(weight.slice(2)) };
    })
    .filter(({ tag, weight }) => tag.length <= MAX_TAG_LENGTH && weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag);
}

/**
 * The locale in which `Intl` writes for a tag. Tags that it writes alike share a page: visitors can make up thousands
 * of regions.
 */
function supported(tag: string): string | undefined {
  try {
    const { language, script, region } = new Intl.Locale(tag);
    const plain = [language, script, region].filter((part) => part !== undefined).join('-');
    const [known] = Intl.DateTimeFormat.supportedLocalesOf(plain);
    return known && new Intl.DateTimeFormat(known).resolvedOptions().locale;
  } catch {
    return undefined;
  }
}
