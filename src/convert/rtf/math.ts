import { ommlTex } from '../math/omml.ts';
import type { XmlElement } from '../xml.ts';

type Node = XmlElement & { readonly attributes: Record<string, string> };

/**
 * A formula in RTF: groups that begin with the name of an element of Office Math, such as `{\mf{\mnum a}{\mden b}}`.
 * The text of a property is its value.
 */
export class RtfMath {
  readonly #root: Node = newNode('m:oMath');
  readonly #open: Node[] = [this.#root];
  /** Whether the group that was opened last may still name its element. */
  #unnamed = false;

  openGroup(): void {
    this.#open.push(this.#open.at(-1)!);
    this.#unnamed = true;
  }

  closeGroup(): void {
    if (this.#open.length > 1) this.#open.pop();
    this.#unnamed = false;
  }

  control(word: string): void {
    const [parent, own] = [this.#open.at(-2), this.#open.at(-1)!];
    if (/^m[A-Za-z]/.test(word) && this.#unnamed && parent !== undefined) {
      const node = newNode(`m:${word.slice(1)}`);
      parent.children.push(node);
      this.#open[this.#open.length - 1] = node;
    } else if (word === 'mnor') own.children.push({ ...newNode('m:rPr'), children: [newNode('m:nor')] });
    this.#unnamed = false;
  }

  text(value: string): void {
    const node = this.#open.at(-1)!;
    this.#unnamed = false;
    if (node.name === 'm:r' || node.name === 'm:t') node.children.push({ ...newNode('m:t'), children: [value] });
    else node.attributes['m:val'] = (node.attributes['m:val'] ?? '') + value.trim();
  }

  get tex(): string {
    return ommlTex(this.#root);
  }
}

function newNode(name: string): Node {
  return { name, attributes: {}, children: [] };
}
