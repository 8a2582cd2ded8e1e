import { expect, it } from 'vitest';
import { parseXml } from '../xml.ts';
import { mathmlTex } from './mathml.ts';

const tex = (content: string) =>
  mathmlTex(parseXml(Buffer.from(`<math xmlns="http://www.w3.org/1998/Math/MathML">${content}</math>`), 'formula'));

it.each([
  ['<mi>A</mi><mo>=</mo><mi>π</mi><msup><mi>r</mi><mn>2</mn></msup>', 'A=\\pi r^2'],
  ['<mfrac><mrow><mo>−</mo><mi>b</mi></mrow><mrow><mn>2</mn><mi>a</mi></mrow></mfrac>', '\\frac{-b}{2a}'],
  ['<msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt><mroot><mi>y</mi><mn>3</mn></mroot>', '\\sqrt{x+1}\\sqrt[3]{y}'],
  ['<munder><mi>lim</mi><mrow><mi>x</mi><mo>→</mo><mn>0</mn></mrow></munder><mi>y</mi>', '\\lim_{x\\to 0}y'],
  ['<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>i</mi>',
    '\\sum_{i=1}^ni'],
  ['<mover><mi>y</mi><mo>^</mo></mover><mover><mi>v</mi><mo>→</mo></mover>', '\\hat{y}\\vec{v}'],
  ['<mrow><mo>(</mo><mfrac linethickness="0"><mi>n</mi><mi>k</mi></mfrac><mo>)</mo></mrow>', '\\binom{n}{k}'],
  [
    '<mo>[</mo><mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr><mtr><mtd><mi>c</mi></mtd><mtd><mi>d</mi>' +
    '</mtd></mtr></mtable><mo>]</mo>',
    '\\left[\\begin{matrix}a&b\\\\c&d\\end{matrix}\\right]',
  ],
  ['<mfenced open="|" close="|"><mi>x</mi></mfenced><mfenced><mi>a</mi><mi>b</mi></mfenced>', '|x|(a,b)'],
  ['<mi>sin</mi><mi>θ</mi><mtext>if 5%</mtext><mn>50</mn><mo>%</mo>', '\\sin\\theta\\text{if 5\\%}50\\%'],
  ['<mmultiscripts><mi>U</mi><none/><none/><mprescripts/><mn>92</mn><mn>238</mn></mmultiscripts>', '{}_{92}^{238}U'],
  [
    '<semantics><mrow><mi>k</mi></mrow><annotation encoding="application/x-tex">{\\displaystyle k&lt;9}</annotation>' +
    '</semantics>',
    'k<9',
  ],
  ['<semantics><mrow/><annotation encoding="StarMath 5.0">a over b</annotation></semantics>', 'a over b'],
])('writes %s as %s', (content, wanted) => {
  expect(tex(content)).toBe(wanted);
});
