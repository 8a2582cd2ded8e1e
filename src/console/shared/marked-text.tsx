/** Text in which the service tagged matches with `<mark>`; everything else in it is plain text. */
export function MarkedText({ text }: { readonly text: string }) {
  return <>{text.split(/<mark>(.*?)<\/mark>/s).map((part, index) => (index % 2 === 1 ? <mark key={index}>{part}</mark> : part))}</>;
}
