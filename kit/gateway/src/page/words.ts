/** What a page says, in the languages that it knows. The calendar knows the same. */

export interface Words {
  readonly direction?: 'rtl';
  readonly none: string;
  readonly open: string;
  readonly cancelled: string;
  readonly noshow: string;
  readonly starred: string;
  readonly published: (date: string) => string;
  readonly timesIn: (zone: string) => string;
  readonly subscribe: string;
  readonly subscribeHint: string;
  /** How soon a calendar shows what changed. */
  readonly calendarsLook: string;
  readonly unavailable: string;
  /** The heading and the sentence of a page where there is nothing. */
  readonly nothing: string;
  readonly nothingHere: string;
}

export const WORDS: Readonly<Record<string, Words>> = {
  en: {
    none: 'No shifts are planned for this time.',
    open: 'Open',
    cancelled: 'Cancelled',
    noshow: 'No-show',
    starred: 'Starred',
    published: (date) => `Published on ${date}`,
    timesIn: (zone) => `All times are those of ${zone}.`,
    subscribe: 'Subscribe in your calendar',
    subscribeHint: 'Or copy this address into your calendar program:',
    calendarsLook:
      'Calendars look for changes in their own time: most about once an hour, Google Calendar up to a day later.',
    unavailable: 'The shifts cannot be shown at the moment. Please try again soon.',
    nothing: 'Nothing here',
    nothingHere: 'There is nothing at this address. Please check it, or ask whoever gave it to you.',
  },
  de: {
    none: 'Für diese Zeit sind keine Schichten geplant.',
    open: 'Offen',
    cancelled: 'Abgesagt',
    noshow: 'Nicht erschienen',
    starred: 'Markiert',
    published: (date) => `Veröffentlicht am ${date}`,
    timesIn: (zone) => `Alle Zeiten gelten für ${zone}.`,
    subscribe: 'Im Kalender abonnieren',
    subscribeHint: 'Oder diese Adresse ins Kalenderprogramm kopieren:',
    calendarsLook:
      'Kalender aktualisieren sich in ihrem eigenen Takt: die meisten etwa stündlich, Google Kalender bis zu einen Tag später.',
    unavailable: 'Die Schichten können gerade nicht gezeigt werden. Bitte versuchen Sie es bald noch einmal.',
    nothing: 'Hier ist nichts',
    nothingHere:
      'Unter dieser Adresse gibt es nichts. Bitte prüfen Sie sie, oder fragen Sie die Person, von der Sie sie haben.',
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
    calendarsLook:
      'Agenda’s kijken op hun eigen moment of er iets is veranderd: de meeste ongeveer elk uur, Google Agenda tot een dag later.',
    unavailable: 'De diensten kunnen nu niet worden getoond. Probeer het straks opnieuw.',
    nothing: 'Hier is niets',
    nothingHere:
      'Op dit adres is niets te vinden. Controleer het, of vraag het aan degene die het u gegeven heeft.',
  },
  fr: {
    none: 'Aucun service n’est prévu pour cette période.',
    open: 'À pourvoir',
    cancelled: 'Annulé',
    noshow: 'Absent',
    starred: 'Important',
    published: (date) => `Publié le ${date}`,
    timesIn: (zone) => `Toutes les heures sont celles de ${zone}.`,
    subscribe: 'S’abonner dans votre agenda',
    subscribeHint: 'Ou copiez cette adresse dans votre agenda :',
    calendarsLook:
      'Les agendas cherchent les modifications à leur propre rythme : la plupart environ toutes les heures, Google Agenda jusqu’à un jour plus tard.',
    unavailable: 'Les services ne peuvent pas être affichés pour le moment. Veuillez réessayer bientôt.',
    nothing: 'Rien ici',
    nothingHere:
      'Il n’y a rien à cette adresse. Veuillez la vérifier ou demander à la personne qui vous l’a donnée.',
  },
  es: {
    none: 'No hay turnos previstos para este periodo.',
    open: 'Vacante',
    cancelled: 'Cancelado',
    noshow: 'No se presentó',
    starred: 'Destacado',
    published: (date) => `Publicado el ${date}`,
    timesIn: (zone) => `Todas las horas son las de ${zone}.`,
    subscribe: 'Suscribirse en su calendario',
    subscribeHint: 'O copie esta dirección en su programa de calendario:',
    calendarsLook:
      'Los calendarios buscan los cambios a su propio ritmo: la mayoría cada hora más o menos, Google Calendar hasta un día después.',
    unavailable: 'Los turnos no se pueden mostrar en este momento. Vuelva a intentarlo pronto.',
    nothing: 'Aquí no hay nada',
    nothingHere: 'No hay nada en esta dirección. Compruébela o pregunte a quien se la dio.',
  },
  ar: {
    direction: 'rtl',
    none: 'لا توجد مناوبات مقررة في هذه الفترة.',
    open: 'شاغرة',
    cancelled: 'ملغاة',
    noshow: 'تغيّب',
    starred: 'مميّزة',
    published: (date) => `نُشرت في ${date}`,
    timesIn: (zone) => `جميع الأوقات بتوقيت ${zone}.`,
    subscribe: 'الاشتراك عبر تقويمك',
    subscribeHint: 'أو انسخ هذا العنوان إلى برنامج التقويم:',
    calendarsLook:
      'تبحث برامج التقويم عن التغييرات وفق إيقاعها الخاص: معظمها كل ساعة تقريبًا، وتقويم Google بعد يوم على الأكثر.',
    unavailable: 'لا يمكن عرض المناوبات الآن. يُرجى المحاولة مرة أخرى بعد قليل.',
    nothing: 'لا يوجد شيء هنا',
    nothingHere: 'لا يوجد شيء في هذا العنوان. يُرجى التحقق منه أو سؤال من أعطاك إياه.',
  },
  he: {
    direction: 'rtl',
    none: 'לא תוכננו משמרות לתקופה הזאת.',
    open: 'פנויה',
    cancelled: 'בוטלה',
    noshow: 'אי־הופעה',
    starred: 'מודגשת',
    published: (date) => `פורסם בתאריך ${date}`,
    timesIn: (zone) => `כל השעות הן לפי ${zone}.`,
    subscribe: 'הרשמה ביומן שלך',
    subscribeHint: 'או העתקת הכתובת הזאת לתוכנת היומן:',
    calendarsLook: 'יומנים בודקים שינויים בקצב שלהם: רובם בערך פעם בשעה, ויומן Google עד יום לאחר מכן.',
    unavailable: 'לא ניתן להציג את המשמרות כרגע. נא לנסות שוב בקרוב.',
    nothing: 'אין כאן דבר',
    nothingHere: 'אין דבר בכתובת הזאת. נא לבדוק אותה, או לשאול את מי שנתן לך אותה.',
  },
  it: {
    none: 'Nessun turno previsto per questo periodo.',
    open: 'Scoperto',
    cancelled: 'Annullato',
    noshow: 'Assente',
    starred: 'In evidenza',
    published: (date) => `Pubblicato il ${date}`,
    timesIn: (zone) => `Tutti gli orari sono quelli di ${zone}.`,
    subscribe: 'Abbonati nel tuo calendario',
    subscribeHint: 'Oppure copia questo indirizzo nel tuo programma di calendario:',
    calendarsLook:
      'I calendari cercano le modifiche con i loro tempi: per lo più circa ogni ora, Google Calendar fino a un giorno dopo.',
    unavailable: 'Al momento non è possibile mostrare i turni. Riprova tra poco.',
    nothing: 'Qui non c’è nulla',
    nothingHere: 'A questo indirizzo non c’è nulla. Controllalo, o chiedi a chi te lo ha dato.',
  },
  pl: {
    none: 'Grafik na ten czas jest pusty.',
    open: 'Wolna',
    cancelled: 'Odwołana',
    noshow: 'Nieobecność',
    starred: 'Wyróżniona',
    published: (date) => `Opublikowano: ${date}`,
    timesIn: (zone) => `Wszystkie godziny podano w czasie strefy ${zone}.`,
    subscribe: 'Subskrybuj w swoim kalendarzu',
    subscribeHint: 'Albo skopiuj ten adres do programu kalendarza:',
    calendarsLook:
      'Kalendarze odświeżają się we własnym rytmie: większość mniej więcej co godzinę, Kalendarz Google nawet dzień później.',
    unavailable: 'W tej chwili nie można pokazać grafiku. Spróbuj ponownie wkrótce.',
    nothing: 'Tu nic nie ma',
    nothingHere: 'Pod tym adresem nic nie ma. Sprawdź go albo zapytaj osobę, od której go masz.',
  },
  pt: {
    none: 'Não há turnos previstos para este período.',
    open: 'Em aberto',
    cancelled: 'Cancelado',
    noshow: 'Não compareceu',
    starred: 'Em destaque',
    published: (date) => `Publicado em ${date}`,
    timesIn: (zone) => `Todas as horas são as de ${zone}.`,
    subscribe: 'Subscrever no seu calendário',
    subscribeHint: 'Ou copie este endereço para o seu programa de calendário:',
    calendarsLook:
      'Os calendários procuram alterações ao seu próprio ritmo: a maioria cerca de uma vez por hora, o Google Calendar até um dia depois.',
    unavailable: 'Neste momento não é possível mostrar os turnos. Tente novamente em breve.',
    nothing: 'Não há nada aqui',
    nothingHere: 'Não há nada neste endereço. Verifique-o ou pergunte a quem o enviou.',
  },
};

export const ENGLISH = WORDS.en as Words;

/** The words of a language such as "nl" or "nl-BE", if they are written down. */
export function wordsOf(tag: string): Words | undefined {
  const language = tag.split('-', 1)[0]?.toLowerCase() ?? '';
  return Object.hasOwn(WORDS, language) ? WORDS[language] : undefined;
}
