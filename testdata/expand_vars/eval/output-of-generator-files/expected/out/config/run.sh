#!/bin/sh
echo $(date) "80"
