/** Against the objects that k8s.io/api tests its own encodings with: every field of every message is set in them. */
import { expect, test } from 'vitest'
import { decodeMessage } from '../../../../src/sim/apiserver/protobuf/decode-message.ts'
import { openEnvelope } from '../../../../src/sim/apiserver/protobuf/envelope.ts'
import { messageOf } from '../../../../src/sim/apiserver/protobuf/fields.ts'
import vectors from './fixtures/vectors.json' with { type: 'json' }

test.for(Object.entries(vectors))('%s is decoded to the JSON that Kubernetes has for it', ([kind, { protobuf, json }]) => {
  const { raw, ...type } = openEnvelope(Buffer.from(protobuf, 'base64'))

  expect({ ...type, ...(decodeMessage(raw, messageOf(kind) ?? '') as object) }).toEqual(json)
})
