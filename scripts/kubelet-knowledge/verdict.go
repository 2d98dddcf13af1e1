package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/spf13/pflag"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/apis/config/scheme"
	"k8s.io/kubernetes/pkg/kubelet/apis/config/validation"
)

// A document as a kubelet would be started with it.
type question struct {
	Config map[string]any `json:"config"`
	Flags  []string       `json:"flags"`
}

// One question a line, one answer a line: why the kubelet would end at its start, or an empty text.
func judgeLines(in io.Reader, out io.Writer) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var asked question
		decoder := json.NewDecoder(strings.NewReader(lines.Text()))
		decoder.UseNumber()
		if err := decoder.Decode(&asked); err != nil {
			log.Fatal(err)
		}
		text := ""
		if err := verdict(asked); err != nil {
			text = err.Error()
		}
		answer, _ := json.Marshal(text)
		fmt.Fprintln(out, string(answer))
	}
}

// What a kubelet does before it touches its host: read, put the flags on top, validate. Over some values it panics.
func verdict(asked question) (refusal error) {
	defer func() {
		if cause := recover(); cause != nil {
			refusal = fmt.Errorf("panic: %v", cause)
		}
	}()
	config, err := decode(asked.Config)
	if err != nil {
		return err
	}
	own := options.NewKubeletFlags()
	set := pflag.NewFlagSet("kubelet", pflag.ContinueOnError)
	set.SetNormalizeFunc(cliflag.WordSepNormalizeFunc)
	set.SetOutput(io.Discard)
	own.AddFlags(set)
	options.AddKubeletConfigFlags(set, config)
	options.AddGlobalFlags(set)
	fromFile := config.FeatureGates
	if err := set.Parse(asked.Flags); err != nil {
		return err
	}
	for name, value := range fromFile {
		if _, ok := config.FeatureGates[name]; !ok {
			config.FeatureGates[name] = value
		}
	}
	if err := options.ValidateKubeletFlags(own); err != nil {
		return err
	}
	config.FailCgroupV1 = false // the machine that asks is not the one that is meant
	if err := validation.ValidateKubeletConfiguration(config, utilfeature.DefaultFeatureGate); err != nil {
		return err
	}
	return laterVerdict(config)
}

// What the kubelet judges when it starts its parts; eviction.go does so where its packages can be had.
var laterVerdict = func(*kubeletconfig.KubeletConfiguration) error { return nil }

func decode(fields map[string]any) (*kubeletconfig.KubeletConfiguration, error) {
	document := map[string]any{"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration"}
	for name, value := range fields {
		document[name] = value
	}
	text, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	_, codecs, err := scheme.NewSchemeAndCodecs()
	if err != nil {
		return nil, err
	}
	object, _, err := codecs.UniversalDecoder().Decode(text, nil, nil)
	if err != nil {
		return nil, err
	}
	config, ok := object.(*kubeletconfig.KubeletConfiguration)
	if !ok {
		return nil, fmt.Errorf("it is a %T", object)
	}
	return config, nil
}
