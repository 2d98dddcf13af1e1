import { X509Certificate } from 'node:crypto'
import type { FleetModel } from '../../repo/model.ts'
import type { Problem } from '../../repo/problem.ts'
import { placeOf } from '../read-fleet.ts'

/** Milliseconds. */
const DAY = 86_400_000
const SOON = 30 * DAY

/**
 * Pure: authorities of profiles that have expired, or do so within 30 days. Warnings, and only of who asks: a commit that was accepted stays
 * valid, however old it is.
 */
export function endingCertificates({ hostProfiles, attachments }: FleetModel, now: number): Problem[] {
  return [...hostProfiles.values()].flatMap((profile) =>
    (profile.spec.certificates ?? []).flatMap(({ name, content, from }, index): Problem[] => {
      const text = content ?? Buffer.from(attachments.get(from ?? '') ?? []).toString()
      const complaint = complaintAbout(new X509Certificate(text), now)
      if (complaint === undefined) return []
      const path = ['certificates', index, from === undefined ? 'content' : 'from']
      const remedy = 'add the new certificate as an entry of its own, and remove this one when nothing needs it'
      const message = `certificate "${name}" ${complaint}`
      return [{ severity: 'warning', reason: 'CertificateEnds', at: placeOf(profile.source.where(path)), message, remedy }]
    }),
  )
}

function complaintAbout({ validToDate }: X509Certificate, now: number): string | undefined {
  const left = validToDate.getTime() - now
  if (left > SOON) return undefined
  const day = validToDate.toISOString().slice(0, 10)
  return left < 0 ? `expired on ${day}: programs accept nothing that it signed` : `expires on ${day}, within 30 days`
}
