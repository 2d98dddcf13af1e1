/** What is to be said of one signature. */
export type Verdict =
  | { readonly kind: 'accepted'; readonly signer: string }
  /** Why, as the end of a sentence about the commit or tag. */
  | { readonly kind: 'refused'; readonly why: string }

export function accepted(signer: string): Verdict {
  return { kind: 'accepted', signer }
}

export function refused(why: string): Verdict {
  return { kind: 'refused', why }
}
