/** Converts `D:20070915110231+02'00'` to ISO 8601. */
export function pdfDate(value: string | undefined): string | undefined {
  const match = /^(?:D:)?(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?(?:Z|([+-])(\d\d)'?(\d\d)?)?/.exec(value ?? '');
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second = '00', sign, zoneHour, zoneMinute = '00'] = match;
  if (hour === undefined) return `${year}-${month}-${day}`;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${
    sign === undefined ? 'Z' : `${sign}${zoneHour}:${zoneMinute}`
  }`;
}
