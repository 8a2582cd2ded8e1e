import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fields } from './frames.ts';
import { convertedMeasure } from './measures.ts';

/** The output of `{{convert|...}}`. */
function convert(given: string, isShort = false): string {
  const args = given.split('|').map((part) => {
    const [name, ...value] = part.split('=');
    return value.length === 0 ? { value: part } : { name: name!, value: value.join('=') };
  });
  return convertedMeasure(new Fields(args), isShort);
}

describe('{{convert}}', () => {
  it.each([['10|mi|km', '10 miles (16 km)'], ['10|mi', '10 miles (16 km)'], ['1|mi|km', '1 mile (1.6 km)'], ['5|km|mi',
    '5 kilometres (3.1 mi)'], ['100|km|mi', '100 kilometres (62 mi)'], ['45|m|ft', '45 metres (148 ft)'], ['100|m|ft',
    '100 metres (330 ft)'], ['8848.86|m|ft', '8,848.86 metres (29,031.7 ft)'], ['12|km|ft',
    '12 kilometres (39,000 ft)'], ['1,200|acre', '1,200 acres (490 ha)'], ['10|ha', '10 hectares (25 acres)'], [
    '2.5|sqmi',
    '2.5 square miles (6.5 km²)',
  ], ['75|kg|lb', '75 kilograms (165 lb)'], ['12|st', '12 stone (170 lb; 76 kg)'], ['5|t',
    '5 tonnes (4.9 long tons; 5.5 short tons)'], ['20|L|USgal', '20 litres (5.3 US gal)'], ['500|cuft|m3',
    '500 cubic feet (14 m³)'], ['20|C|F', '20 °C (68 °F)'], ['-40|C|F', '−40 °C (−40 °F)'], ['98.6|F',
    '98.6 °F (37.0 °C)'], ['0|K|C', '0 kelvins (−273.15 °C)'], ['60|mph', '60 miles per hour (97 km/h)'], ['20|kn',
    '20 knots (37 km/h; 23 mph)']])('has the amount in another unit: %s', (given, text) => {
      expect(convert(given)).toBe(text);
    });

  it.each([['5|to|10|km|mi', '5 to 10 kilometres (3.1 to 6.2 mi)'], ['8|-|12|km', '8–12 kilometres (5.0–7.5 mi)'], [
    '3|x|4|x|5|m|ft',
    '3 × 4 × 5 metres (9.8 × 13.1 × 16.4 ft)',
  ], ['10|+/-|2|km', '10 ± 2 kilometres (6.2 ± 1.2 mi)']])('knows ranges: %s', (given, text) => {
    expect(convert(given)).toBe(text);
  });

  it.each([['10|mi|km|abbr=on', '10 mi (16 km)'], ['10|mi|km|abbr=off', '10 miles (16 kilometres)'], [
    '10|mi|km|abbr=in',
    '10 mi (16 kilometres)',
  ], ['10|mi|km|abbr=values', '10 (16)'], ['10|km|mi|sp=us', '10 kilometers (6.2 mi)'], ['3|t|sp=us|kg',
    '3 metric tons (3,000 kg)'], ['10|mi|km|adj=on', '10-mile (16 km)'], ['6|ft|m|adj=mid|-long',
    '6-foot-long (1.8 m)'], ['10|mi|km nmi', '10 miles (16 km; 8.7 nmi)'], ['10|mi|km|2', '10 miles (16.09 km)'], [
    '10|mi|1',
    '10 miles (16.1 km)',
  ], ['10|mi|km|sigfig=3', '10 miles (16.1 km)'], ['10|mi|km|order=flip', '16 km (10 miles)'], ['10|mi|km|disp=or',
    '10 miles or 16 km'], ['10|mi|km|disp=out', '16 km'], ['10|mi|km|disp=number', '16'], ['185|cm|ftin',
    '185 centimetres (6 ft 1 in)'], ['1.85|m|ft in', '1.85 metres (6 ft 1 in)'], ['6|ft|1|in|cm',
    '6 feet 1 inch (185 cm)'], ['5|lb|6|oz|kg', '5 pounds 6 ounces (2.4 kg)'], ['1+1/2|in|mm', '1 1/2 inches (38 mm)'],
    ['1/2|mi', '1/2 miles (0.80 km)'], ['1.5e3|m', '1,500 metres (4,900 ft)']])('knows how it is to be written: %s',
      (given, text) => {
        expect(convert(given)).toBe(text);
      });

  it.each([['45|furble|ft', '45 furble'], ['10|mi|kg', '10 mi'], ['10|km2|furble', '10 km²'], ['about ten|mi|km',
    'about ten mi'], ['10|to|20|furble', '10 to 20 furble'], ['10|+/-|2|C', '10 ± 2 °C'], ['', ''], ['10', '10']])(
      'leaves what it does not know: %s',
      (given, text) => {
        expect(convert(given)).toBe(text);
      },
    );

  it('is {{cvt}} with symbols', () => {
    expect(convert('10|mi|km', true)).toBe('10 mi (16 km)');
  });

  it('always ends, whatever it is given', () => {
    const part = fc.oneof(
      fc.constantFrom('1', '0', '-0.5', '1e99', '1e-99', '1/3', '99999999999999', 'm', 'ft', 'ftin', 'C', 'K', 'to',
        '-', 'km mi', 'ly', 'nm', '15', '-15', 'abbr=on', 'adj=mid', 'disp=or', 'sigfig=9'),
      fc.string({ maxLength: 5 }),
    );
    fc.assert(fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      expect(convert(parts.join('|'))).not.toMatch(/NaN|Infinity|undefined/);
    }));
  });
});
