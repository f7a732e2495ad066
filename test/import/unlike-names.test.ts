/** New people who are unlike the others, and ordinary names of many languages, which are not. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { saysMoreThanName } from '../../sheets/src/words/people.ts';
import { findUnlike } from '../../src/import/unlike-names.ts';

const listed = (text: string) => text.split(/[,\n]/).flatMap((one) => one.trim() || []);

/** First names | last names. */
const PEOPLE = Object.entries({
  English: `Ada, Bo, Jo, Di, Mary-Ann, Christopher, TJ, Siobhán, Ed, Olivia, Max, Al, Elizabeth, Kit, Fay
    | Byron, O'Brien, McDonald, MacLeod, Smith-Jones, Ng, Lee, St. John, Fitzgerald, O’Neill, Wu, Green, Day, May, Cook`,
  Dutch: `Jan, Sem, Noor, Fleur, Bas, Ot, Wil, Anne-Fleur, Daan, Jip, Teun, Els, Aart, Sjoerd, Pim
    | van der Berg, de Vries, 't Hart, in 't Veld, van den Heuvel, Jansen, op den Camp, ten Brink, Bos, uit den Boogaard, de Jong, Smit, aan de Stegge, Mulder, Dekker`,
  German: `Jörg, Käthe, Hans-Peter, Uwe, Bärbel, Till, Ute, Karl, Heinz, Annegret, Udo, Björn, Maximilian, Eva, Götz
    | Müller, von der Heide, zu Guttenberg, Frei, Groß, Weiß, Schmidt-Rottluff, Öztürk, Pause, Sonntag, vom Stein, Kühn, Jäger, Koch, Urlaub`,
  French: `Zoé, Jean-Pierre, Chloé, Loïc, Maëlle, Anaïs, François, Luc, Élodie, Ève, Guy, Benoît, Océane, Noël, Rémi
    | Dupont, de La Tour, d'Artagnan, Le Goff, L'Hôte, du Pont, des Prés, Lefèvre, Bouvier, N'Guessan, Petit, Roux, D’Angelo, Blanc, Leroy`,
  Spanish: `José, María José, Iñaki, Begoña, Juan, Mª Carmen, Ángel, Íñigo, Luz, Pilar, Rosa, Nacho, Pau, Oriol, Ximena
    | García López, de la Cruz, de los Ángeles, Núñez, Ortega y Gasset, Muñoz, Puig i Cadafalch, del Río, Gil, Peña, Vidal, Sanz, Rey, Cano, Iglesias`,
  Italian: `Giulia, Niccolò, Ugo, Pier Paolo, Chiara, Gianluca, Ida, Noè, Zeno, Ivo, Maria Grazia, Elio, Lia, Rocco, Nino
    | Rossi, De Luca, dalla Chiesa, Dell'Acqua, di Stefano, D'Amico, Lo Bianco, della Rovere, Ferri, Conti, Sala, Bo, degli Esposti, Riposo, La Rosa`,
  Portuguese: `João, Inês, Luís, Conceição, Rui, Zé, Ana Beatriz, Caio, Érica, Iara, Tainá, Nuno, Davi, Otávio, Raí
    | da Silva, dos Santos, Costa e Silva, de Sá, Araújo, Gonçalves, Souza Lima, do Carmo, das Neves, Reis, Paz, Luz, Melo, Brás, Dias`,
  Polish: `Łukasz, Żaneta, Świętosława, Ewa, Jan, Zbigniew, Ola, Grażyna, Wit, Iga, Ignacy, Małgorzata, Lech, Oliwia, Ida
    | Wiśniewski, Żak, Dąbrowska-Kowal, Łoś, Śmigły, Bąk, Nowak, Źrebiec, Wójcik, Lis, Ćwik, Gołąb, Kot, Mróz, Zając`,
  Czech: `Jiří, Šárka, Žofie, Řehoř, Václav, Ota, Eliška, Ctirad, Ivo, Růžena, Zdeněk, Iva, Áňa, Vít, Čeněk
    | Dvořák, Řezníčková, Šťastná, Čech, z Pernštejna, Nový, Hůlka, Žižka, Malá, Ptáček, Kříž, Svoboda, Vlk, Ťopek, Bílá`,
  Scandinavian: `Åse, Øyvind, Bjørn, Per, Anne-Grethe, Bo, Siv, Ærlig, Ulla, Kåre, Göran, Åke, Pär, Mads, Liv
    | Sørensen, af Klint, Ødegård, Lindström, Ås, von Essen, Bjørnstad, Holm, Hansen, Å, Dahl, Friis, Østby, Lund, Ek`,
  Turkish: `Şule, İpek, Işıl, Çağrı, Ömer, Ümit, Ece, Gökçe, Yiğit, Ali, Ada, Can, Ilgın, Ayşe, Su
    | Öztürk, Yılmaz, Şahin, İnönü, Çelik, Ak, Doğan, Güneş, Tan, Işık, Kılıç, Er, Ünal, Bayram, Koç`,
  Arabic: `Ahmed, Fatima, Nour, Abd al-Rahman, Omar, Leila, Ali, Zeinab, Youssef, Khalid, Samira, Mo, Hassan, Amal, Tariq
    | el-Sayed, ben Salah, Al Farsi, bin Rashid, Haddad, ibn Khaldun, Mansour, al-Masri, Abu Bakr, Nasser, El Amrani, Aziz, Said, Zaki, Bint`,
  Vietnamese: `Nguyễn Thị Minh, Trần Văn, Lê, Ngô Bảo, Phạm, Đỗ Hữu, Võ Thị, Bùi, Đặng Thùy, Hồ, Lý, Vũ Trọng, Mai, Cao, Tô
    | An, Ánh, Châu, Đức, Dung, Giang, Hà, Khai, Lan, Ý, Nga, Oanh, Phú, Quý, Yến`,
  Japanese: '葵, 健太, さくら, 陽子, 大輔, 美咲, 翔, ひなた | 佐藤, 鈴木, 高橋, 田中, 渡辺, 伊藤, 山本, 中村',
}).map(([language, text]) => {
  const [firsts = [], lasts = []] = text.split('|').map(listed);
  return { language, people: firsts.map((first, i) => [first, lasts[i] ?? ''] as const) };
});

/** Ways in which a whole file writes its names. */
const HABITS: Readonly<Record<string, (first: string, last: string, i: number) => string>> = {
  'first and last names': (first, last) => `${first} ${last}`,
  'first names': (first) => first,
  'last names': (_, last) => last,
  'last names first': (first, last) => `${last}, ${first}`,
  'last names first, without a comma': (first, last) => `${last} ${first}`,
  'parts of names at the end': (first, last) => {
    const [, parts = '', name = last] = /^((?:\p{Ll}+ )*)(.*)$/u.exec(last) ?? [];
    return `${name}, ${first} ${parts}`.trim();
  },
  'the first letter of last names': (first, last) => `${first} ${last.slice(0, 1)}.`,
  'the first letter of first names': (first, last) => `${first.slice(0, 1)}. ${last}`,
  'some with the first letter of last names': (first, last, i) =>
    i % 4 === 0 ? `${first} ${last.slice(0, 1)}` : first,
  initials: (first, last, i) =>
    `${first.slice(0, 1)}${i % 5 === 0 ? 'J' : ''}${last.slice(0, 1)}`.toUpperCase(),
  'initials with dots': (first, last) => `${first.slice(0, 1)}.${last.slice(0, 1)}.`.toUpperCase(),
  'some initials': (first, _, i) => (i % 7 === 0 ? `${first.slice(0, 1).toUpperCase()}P` : first),
  capitals: (first, last) => `${first} ${last}`.toUpperCase(),
  'first names in capitals': (first) => first.toUpperCase(),
  'small letters': (first, last) => `${first} ${last}`.toLowerCase(),
  'first names in small letters': (first) => first.toLowerCase(),
  'last names in capitals': (first, last) => `${last.toUpperCase()} ${first}`,
  'first names of some': (first, last, i) => (i % 3 === 0 ? first : `${first} ${last}`),
  'last names of some': (first, last, i) => (i % 4 === 0 ? `${first} ${last}` : first),
  'capitals of half': (first, last, i) => (i % 2 === 0 ? first.toUpperCase() : `${first} ${last}`),
  'numbers of people': (first, last, i) => `${first} ${last} ${1000 + i}`,
};

/** Alone or in small letters, surnames such as Urlaub are words. */
const SAYING_MORE = ['last names', 'small letters', 'first names in small letters'];

const unlike = (made: readonly string[], others: readonly string[] = []) => [
  ...findUnlike(made, [...others, ...made], () => false),
];

test('ordinary names are not asked about, whatever the habit of the file', () => {
  let looked = 0;
  const all = PEOPLE.flatMap(({ people }) => people);
  for (const { language, people } of [...PEOPLE, { language: 'all languages', people: all }])
    for (const [habit, write] of Object.entries(HABITS)) {
      const names = [...new Set(people.map(([first, last], i) => write(first, last, i)))];
      looked += names.length;
      assert.deepEqual(unlike(names), [], `${language}, ${habit}`);
      if (!SAYING_MORE.includes(habit))
        assert.deepEqual(names.filter(saysMoreThanName), [], `${language}, ${habit}`);
    }
  assert.ok(looked > 8_000);
});

/** What people write into cells of people beside names. */
const NOT_NAMES = listed(`
  PAUSE, LUNCH, REPAS, ATV, Staff meeting, training day, all staff, same as Monday, as above, see below, wie gestern, s.o.
  jury duty, lieu day, study day, afspadsering, atestado, José x Ana, Cy TBC, am only, if needed, ex Gus
  à la place d'Ada, Manager on duty, Happy hour, Temp 2, Room 4, AGENCY, who can?, Doors open, Kasse zählen, Inventur machen
  spoedje, jemand vom Büro, Ferie igjen, bank hol, BUREAU FERMÉ, Cover for the One Who Is Away
`);

test('what is written unlike the names of a file is found, one by one and a few at once', () => {
  for (const { language, people } of PEOPLE.filter(({ language }) => language !== 'Japanese'))
    for (const habit of ['first and last names', 'first names', 'the first letter of last names'] as const) {
      const names = people.map(([first, last], i) =>
        (HABITS[habit] as (typeof HABITS)[string])(first, last, i),
      );
      const missed = NOT_NAMES.filter((text) => !unlike([...names, text]).includes(text));
      assert.deepEqual(missed, [], `${language}, ${habit}`);
      assert.deepEqual(unlike(['PAUSE', 'as above'], names.slice(0, 4)), ['as above', 'PAUSE']);
      assert.deepEqual(unlike(['Ann Other'], [...names, ...NOT_NAMES]), [], 'what the account has is known');
    }
});

test('one word among whole names is unlike them, and so is one who comes only for an hour', () => {
  const names = PEOPLE.slice(0, 1).flatMap(({ people }) => people.map((both) => both.join(' ')));
  assert.deepEqual(unlike(['Teamsitzung'], names), ['Teamsitzung']);
  assert.deepEqual(unlike(['Teamsitzung'], names.slice(0, 9)), []);
  const firsts = ['Ada', 'Bo', 'Cy'];
  const isShort = (name: string) => (name === 'Cy' ? undefined : name === 'Lunch');
  const found = (...made: string[]) => [...findUnlike(made, [...firsts, ...made], isShort)];
  assert.deepEqual(found('Lunch', 'Di'), ['Lunch']);
  assert.deepEqual([...findUnlike(['Ed', 'Lunch'], ['Ada', 'Ed', 'Lunch'], () => true)], []);
});

test('of 200,000 names, each is looked at a few times', () => {
  const names = Array.from(
    { length: 200_000 },
    (_, i) => `Ada ${String.fromCodePoint(0x4e00 + (i % 20_000))}`,
  );
  assert.deepEqual(unlike(['as above'], names), ['as above']);
});
