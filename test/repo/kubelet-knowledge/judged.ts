import { checkConfig } from '../../../src/repo/kubelet-knowledge/check-config.ts'
import { checkFlags } from '../../../src/repo/kubelet-knowledge/check-flags.ts'
import { refusedCombinations } from '../../../src/repo/kubelet-knowledge/combinations.ts'
import type { Flags, KubeletFields } from '../../../src/repo/schema/common.ts'
import type { Question } from './questions.ts'
import { settingsOfDocument } from './settings-of-document.ts'

/** A kubelet takes a field that it does not know without a word; that is why we refuse it. */
const STRICTER = 'UnknownField'

/** What `validate` says of a question, on a host without a configuration of its own. */
export function judged(question: Question, version: string): readonly string[] | 'stricter' {
  const { config = {}, flags = {} } = question
  const found = [...checkConfig(config as KubeletFields, version), ...checkFlags(flags as Flags, version)]
  if (found.some(({ reason }) => reason === STRICTER)) return 'stricter'
  const stated = settingsOfDocument(question, version)
  return [...found, ...refusedCombinations({ stated, hasBase: false }, version)].map(({ message }) => message)
}
