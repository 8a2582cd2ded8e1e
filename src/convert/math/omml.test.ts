import { expect, it } from 'vitest';
import { parseXml } from '../xml.ts';
import { ommlTex } from './omml.ts';

const tex = (content: string) =>
  ommlTex(
    parseXml(
      Buffer.from(`<m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math">${content}</m:oMath>`),
      'formula',
    ),
  );
const r = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`;
const e = (...content: string[]) => content.map((part) => `<m:e>${part}</m:e>`).join('');

it.each([
  [
    `<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr>${
      e(`<m:m><m:mr>${e(r('a'), r('b'))}</m:mr><m:mr>${e(r('c'), r('d'))}</m:mr></m:m>`)
    }</m:d>`,
    '\\left[\\begin{matrix}a&b\\\\c&d\\end{matrix}\\right]',
  ],
  [
    `<m:d><m:dPr><m:begChr m:val="{"/><m:endChr m:val=""/></m:dPr>${
      e(`<m:eqArr>${e(r('a&amp;=1'), r('b&amp;=2'))}</m:eqArr>`)
    }</m:d>`,
    '\\left\\{\\begin{aligned}a&=1\\\\b&=2\\end{aligned}\\right.',
  ],
  [`<m:func><m:fName><m:limLow>${e(r('lim'))}<m:lim>${r('x→0')}</m:lim></m:limLow></m:fName>${e(r('y'))}</m:func>`,
    '\\lim_{x\\to 0}y'],
  [`<m:func><m:fName>${r('sin')}</m:fName>${e(r('θ'))}</m:func>`, '\\sin\\theta'],
  [`<m:acc>${e(r('y'))}</m:acc>`, '\\hat{y}'],
  [`<m:acc><m:accPr><m:chr m:val="\u20d7"/></m:accPr>${e(r('v'))}</m:acc>`, '\\vec{v}'],
  [`<m:bar><m:barPr><m:pos m:val="top"/></m:barPr>${e(r('z'))}</m:bar>`, '\\overline{z}'],
  [
    `<m:d>${
      e(`<m:f><m:fPr><m:type m:val="noBar"/></m:fPr><m:num>${r('n')}</m:num><m:den>${r('k')}</m:den></m:f>`)
    }</m:d>`,
    '\\binom{n}{k}',
  ],
  [
    `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${r('i=1')}</m:sub><m:sup>${r('n')}</m:sup>${
      e(r('i'))
    }</m:nary>`,
    '\\sum_{i=1}^n i',
  ],
  [`<m:limLow>${e(`<m:groupChr>${e(r('a+b'))}</m:groupChr>`)}<m:lim>${r('k')}</m:lim></m:limLow>`,
    '\\underbrace{a+b}_k'],
  [`<m:sSup>${e(`<m:sSub>${e(r('x'))}<m:sub>${r('i')}</m:sub></m:sSub>`)}<m:sup>${r('2')}</m:sup></m:sSup>`, '{x_i}^2'],
  [`<m:r><m:rPr><m:nor/></m:rPr><m:t>if 5%</m:t></m:r>${r('50%')}`, '\\text{if 5\\%}50\\%'],
  [
    `<m:rad><m:radPr/><m:deg/>${e(r('x'))}</m:rad><m:sPre><m:sub>${r('1')}</m:sub><m:sup>${r('2')}</m:sup>${
      e(r('H'))
    }</m:sPre>`,
    '\\sqrt{x}{}_1^2H',
  ],
  ['<m:d><m:e/></m:d><m:unknown><m:r><m:t>kept</m:t></m:r></m:unknown>', '()kept'],
])('writes %s as %s', (content, wanted) => {
  expect(tex(content)).toBe(wanted);
});
