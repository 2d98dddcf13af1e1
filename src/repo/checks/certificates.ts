import { X509Certificate } from 'node:crypto'
import { CERTIFICATE } from '../../protocol/system-sections.ts'
import { type Draft, errorAt } from '../draft.ts'
import type { Problem } from '../problem.ts'
import { refusal } from './host-files.ts'

/** What is no certificate would be found out by every node. */
export function checkCertificates({ documents: { HostProfile }, files }: Draft): Problem[] {
  return [...HostProfile.values()].flatMap((profile) =>
    (profile.spec.certificates ?? []).flatMap(({ content, from }, index) => {
      const at = (field: string) => ['certificates', index, field]
      const refused = from === undefined ? undefined : refusal(from, files)
      if (refused) return [errorAt(profile, at('from'), { reason: 'MissingReference', ...refused })]
      const file = from === undefined ? undefined : files.get(from)
      const text = content ?? (file?.kind === 'file' ? Buffer.from(file.bytes).toString() : '')
      const complaint = complaintAbout(text)
      const [field, message] = [from === undefined ? 'content' : 'from', `certificate: ${complaint}`]
      return complaint === undefined ? [] : [errorAt(profile, at(field), { reason: 'InvalidValue', message })]
    }),
  )
}

function complaintAbout(text: string): string | undefined {
  if (!CERTIFICATE.test(text))
    return 'expected one certificate in PEM form, and nothing else; write each into an entry of its own'
  try {
    return new X509Certificate(text).ca ? undefined : 'expected the certificate of an authority (CA:TRUE)'
  } catch (error) {
    return (error as Error).message
  }
}
