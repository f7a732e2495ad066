/** What spreadsheets show in a cell whose formula failed, in the five languages. */
export const ERROR_VALUES: ReadonlySet<string> = new Set(
  `#REF! #N/A #NAME? #VALUE! #DIV/0! #NULL! #NUM! #SPILL! #CALC! #FIELD! #GETTING_DATA #ERROR! #BLOCKED! #CONNECT!
   #BEZUG! #NV #WERT! #ZAHL! #ÜBERLAUF! #VERW! #N/B #NAAM? #WAARDE! #DEEL/0! #LEEG! #GETAL! #OVERLOOP!
   #NOM? #VALEUR! #NOMBRE! #NUL! #EPARS! #¡REF! #¿NOMBRE? #¡VALOR! #¡DIV/0! #¡NULO! #¡NUM! #¡DESBORDAMIENTO!
   #N/D #VERWEIS!`.split(/\s+/),
);
