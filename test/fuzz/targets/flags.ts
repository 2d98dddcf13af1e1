import { formatFlagString, splitFlagString, unrepresentableIn } from '../../../src/protocol/flag-string.ts'
import { checkFlags } from '../../../src/repo/kubelet-knowledge/check-flags.ts'

/** Arguments of a kubelet as one text. What is read and can be written must be read as the same again. */
export function flags(input: Buffer): void {
  const args = splitFlagString(input.toString())
  const pairs = args.map((arg) => /^-*([^=]*)=?(.*)$/s.exec(arg) ?? [])
  checkFlags(Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value])), '1.36.3')
  if (args.some((arg) => unrepresentableIn(arg) !== undefined)) return
  const again = splitFlagString(formatFlagString(args))
  if (JSON.stringify(again) !== JSON.stringify(args))
    throw new Error(`flags ${JSON.stringify(args)} are read as ${JSON.stringify(again)}`)
}
