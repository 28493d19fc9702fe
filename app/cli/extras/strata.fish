# fish completion for strata
{{range .Modes}}
	{{- $when := print "__fish_seen_subcommand_from " .Name}}
	{{- if .Name -}}
complete -c strata -n __fish_use_subcommand -a {{.Name}} -d '{{.Summary}}'
{{else}}{{$when = print "not __fish_seen_subcommand_from " (join $.Names)}}{{end}}
	{{- if .Words -}}
complete -c strata -n '{{$when}}' -f -a '{{join .Words}}'
{{end}}
	{{- range .Flags -}}
complete -c strata -n '{{$when}}' -l {{.Long}}
		{{- if .Choices}} -x -a '{{join .Choices}}'{{else if .TakesFile}} -r{{else if .Arg}} -x{{end}} -d '{{plain .Help}}'
{{end}}
{{- end -}}
